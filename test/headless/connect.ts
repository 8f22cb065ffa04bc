/** A program at the other end of standard input, which drives a run line by line, as the Agent SDK does. */

import { onTestFinished } from "bun:test";
import type { Sandbox } from "../bin.ts";
import { spawnInProcess } from "../in-process.ts";

export type Line = { type: string; subtype?: string; [key: string]: unknown };

export const isInit = ({ subtype }: Line): boolean => subtype === "init";
export const isResult = ({ type }: Line): boolean => type === "result";
export const isQuestion = ({ type }: Line): boolean => type === "control_request";

export const stream = ["--output-format=stream-json", "--input-format=stream-json", "--verbose"];

/** Starts the program; `until` reads lines up to the first that matches, and returns them all. */
export function connectTo(
  box: Sandbox,
  flags: readonly string[],
  env: Record<string, string> = {},
) {
  const child = spawnInProcess(box, [...stream, ...flags], { env });
  const end = async (): Promise<number> => {
    await child.stdin.end();
    return child.exited;
  };
  onTestFinished(async () => void (await end()));
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  const lines: Line[] = [];
  let rest = "";
  async function until(fits: (line: Line) => boolean): Promise<Line[]> {
    for (;;) {
      const at = lines.findIndex(fits);
      if (at !== -1) return lines.splice(0, at + 1);
      const { value, done } = await reader.read();
      if (done) throw new Error(`The program ended: ${JSON.stringify(lines)}`);
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((part) => JSON.parse(part)));
    }
  }
  const send = (line: object): void => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
  };
  let requests = 0;
  return {
    until,
    send,
    write: child.stdin.write,
    stderr: child.stderr,
    say: (content: unknown) => send({ type: "user", message: { role: "user", content } }),
    /** Does not wait for the answer. */
    initialize: (options: object) =>
      send({
        type: "control_request",
        request_id: "i",
        request: { subtype: "initialize", ...options },
      }),
    /** The next request of the program. */
    question: async (): Promise<Line> => (await until(isQuestion)).at(-1) ?? { type: "none" },
    async ask(request: object): Promise<Line> {
      const request_id = `r${++requests}`;
      send({ type: "control_request", request_id, request });
      const answered = await until((line) => Object(line["response"]).request_id === request_id);
      return Object(answered.at(-1)?.["response"]);
    },
    reply: (request_id: unknown, response: object) =>
      send({ type: "control_response", response: { subtype: "success", request_id, response } }),
    end,
    kill(signal: NodeJS.Signals): Promise<number> {
      child.kill(signal);
      return child.exited;
    },
  };
}
