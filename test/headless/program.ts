/** The program in this process, with a strict fake of the model's server: run to its end, or driven by a client. */

import { afterAll, expect, onTestFinished } from "bun:test";
import { sandbox, type RunOptions, type Sandbox } from "../bin.ts";
import { call, say, startFakeApi, type Answer, type AnswerBlock } from "../fake-api/index.ts";
import { inProcess, spawnInProcess } from "../in-process.ts";

type Answers = (Answer | AnswerBlock[])[];
type Options = RunOptions & {
  /** Another model than the one that gives the answers. */
  url?: string;
  prompt?: string;
};

export async function openProgram(name: string) {
  const box = inProcess(await sandbox(name));
  const api = startFakeApi();
  afterAll(async () => {
    await api.stop();
    await box.remove();
  });
  const keys = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-test" });
  return {
    box,
    api,
    keys,
    /** The messages of the latest request to the model. */
    sent: (): string => JSON.stringify(api.bodies.at(-1)?.messages),
    /** `-p`; `messages` is the JSON that it printed. */
    async run(
      flags: string[],
      answers: Answers,
      { url = api.url, prompt = "go", env, ...options }: Options = {},
    ) {
      api.next(...answers);
      const own = { ...keys(url), ...env };
      const ran = await box.run(["-p", ...flags, prompt], { ...options, env: own });
      const messages: Line[] = ran.out
        .split("\n")
        .flatMap((line) => (/^[[{]/.test(line) ? JSON.parse(line) : []));
      const result: Record<string, unknown> = messages.at(-1) ?? {};
      return { ...ran, messages, result };
    },
    connect(answers: Answers, { flags = [] as string[], url = api.url, env = {} } = {}) {
      api.next(...answers);
      return connectTo(box, flags, { ...keys(url), ...env });
    },
  };
}

export type Line = { type: string; subtype?: string; [key: string]: unknown };

export const isInit = ({ subtype }: Line): boolean => subtype === "init";
export const isResult = ({ type }: Line): boolean => type === "result";
export const isQuestion = ({ type }: Line): boolean => type === "control_request";

/** A model whose main agent has a subagent work in the background, which runs a command and reports. */
export function startScouting(mayEnd: Promise<void>, subagent_type = "scout") {
  const task = {
    description: "Look",
    prompt: "Count the files",
    subagent_type,
    run_in_background: true,
  };
  return startFakeApi({
    responder: async ({ messages }) => {
      const told = JSON.stringify(messages);
      if (told.includes("There are 7 files")) return say("It reported.");
      if (told.includes("Count the files") && !told.includes("please go")) {
        if (!told.includes("tool_result"))
          return { content: [call("Bash", { command: "touch /etc/counted" })] };
        await mayEnd;
        return say("There are 7 files.");
      }
      if (told.includes("tool_result")) return say("It works in the background.");
      return { content: [call("Agent", task)] };
    },
  });
}

const stream = ["--output-format=stream-json", "--input-format=stream-json", "--verbose"];

/** An MCP server in the client, with one tool. */
type ClientServer = { name: string; call(input: object): object };

function serveMcp({ name, call }: ClientServer, { method, params }: Record<string, unknown>) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "local", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name, description: "Works", inputSchema: { type: "object" } }] };
    case "tools/call":
      return call(Object(params).arguments);
    default:
      return undefined;
  }
}

/** Starts the program; `until` reads lines up to the first that matches, and returns them all. */
function connectTo(box: Sandbox, flags: readonly string[], env: Record<string, string> = {}) {
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
  const reply = (request_id: unknown, response: object): void =>
    send({ type: "control_response", response: { subtype: "success", request_id, response } });
  let requests = 0;
  return {
    until,
    /** As `until`; requests to the MCP server of the client are answered. */
    async serving(server: ClientServer, fits: (line: Line) => boolean): Promise<Line[]> {
      const seen: Line[] = [];
      for (;;) {
        seen.push(...(await until((line) => isQuestion(line) || fits(line))));
        const { request_id, request, ...last } = seen.at(-1) ?? { type: "none" };
        if (fits(last)) return seen;
        const { server_name, message } = Object(request);
        expect(server_name).toBe("local");
        const result = serveMcp(server, message);
        const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
        reply(request_id, { mcp_response: { jsonrpc: "2.0", id: message.id ?? 0, ...answer } });
      }
    },
    send,
    write: child.stdin.write,
    stderr: child.stderr,
    say: (content: unknown, uuid?: string) =>
      send({ type: "user", message: { role: "user", content }, uuid }),
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
    reply,
    end,
    kill(signal: NodeJS.Signals): Promise<number> {
      child.kill(signal);
      return child.exited;
    },
  };
}
