/**
 * A day of work on the real screen: in each turn, the scripted model searches, reads, edits and
 * tests.
 */

import { join } from "node:path";
import { goodSummary } from "../agent/compaction/harness.ts";
import { call, say, startFakeApi, type ApiRequest, type Responder } from "../fake-api/index.ts";
import { idle, program } from "./program.ts";
import type { Pty } from "./pty.ts";

/** A common window size, small enough for a short test. */
const windowTokens = 100_000;
const files = 4;
/** The number of turns until the summary. */
export const turns = 12;

const words = ["the", "cache", "expires", "after", "five", "minutes", "unless", "it", "is", "read"];
const prose = (lines: number, seed: number): string =>
  Array.from({ length: lines }, (_, line) =>
    [`line ${line} of ${seed}:`, ...words.map((_, at) => words[(at * 3 + line + seed) % 10])].join(
      " ",
    ),
  ).join("\n");

/** In each turn: a search, a read, an edit, a test run with a long output, and a report. */
const worker: Responder = (request) => {
  const { messages } = request;
  const last = JSON.stringify(messages.at(-1)?.content ?? "");
  if (last.includes("<analysis>")) return say(goodSummary());
  const asked = messages.findLastIndex(({ role, content }) => role === "user" && isPrompt(content));
  const step = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const turn = Number(/Part (\d+)/.exec(JSON.stringify(messages[asked]?.content))?.[1] ?? 0);
  const path = `src/part${turn % files}.ts`;
  const steps = [
    say("", {
      content: [call("Grep", { pattern: "expires", output_mode: "content", head_limit: 30 })],
    }),
    say("", { content: [call("Read", { file_path: path })] }),
    say("", {
      content: [
        call("Edit", {
          file_path: path,
          old_string: `turn ${turn - files}.`,
          new_string: `turn ${turn}.`,
        }),
      ],
    }),
    say("", { content: [call("Bash", { command: "grep -n line test-output.txt" })] }),
  ];
  return steps[step] ?? say(`${prose(60, turn)}\nPart ${turn} is done.`);
};

const isPrompt = (content: ApiRequest["messages"][number]["content"]): boolean =>
  typeof content === "string" ||
  content.some((block) => block.type === "text" && block.text.startsWith("Part "));

export async function workday() {
  const at = await program("workday");
  const api = startFakeApi({ responder: worker, model: { windowTokens } });
  await Bun.write(join(at.folder, "test-output.txt"), prose(260, 1));
  for (let file = 0; file < files; file++)
    await Bun.write(
      join(at.folder, "src", `part${file}.ts`),
      `turn ${file - files}.\n${prose(150, file)}`,
    );
  const pty: Pty = await at.open({
    args: ["--permission-mode", "accept-edits"],
    cols: 110,
    rows: 40,
    env: { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url },
  });
  const ask = async (turn: number): Promise<string> => {
    await pty.type(`Part ${turn}, please.\r`);
    const isDone = (screen: string): boolean =>
      screen.includes(`Part ${turn} is done.`) && idle.test(screen);
    return pty.waitFor(isDone);
  };
  const end = async (): Promise<void> => {
    await pty.close();
    await api.stop();
    await at.remove();
  };
  return { api, pty, ask, end };
}
