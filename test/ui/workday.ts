/**
 * Days of work on the real screen, with a scripted model. A prompt names the part and what is done in it:
 * reading logs, editing files, or writing a report.
 */

import { join } from "node:path";
import { Glob } from "bun";
import { goodSummary } from "../agent/compaction/harness.ts";
import { call, say, startFakeApi, type ApiRequest, type Responder } from "../fake-api/index.ts";
import { idle, program } from "./program.ts";
import type { MemoryTerminal } from "./memory.ts";

export type Work = "logs" | "edits" | "report";

const files = 4;

const words = ["the", "cache", "expires", "after", "five", "minutes", "unless", "it", "is", "read"];
const prose = (lines: number, seed: number): string =>
  Array.from({ length: lines }, (_, line) =>
    [`line ${line} of ${seed}:`, ...words.map((_, at) => words[(at * 3 + line + seed) % 10])].join(
      " ",
    ),
  ).join("\n");

const logLines = 400;

/** The calls of a part, and its report. `logs`: how many it reads in one part. */
const worker =
  (logs: number): Responder =>
  ({ messages }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    if (last.includes("<analysis>")) return say(goodSummary());
    const asked = messages.findLastIndex(
      ({ role, content }) => role === "user" && isPrompt(content),
    );
    const step = messages.slice(asked).filter(({ role }) => role === "assistant").length;
    const [, number = "0", work = ""] =
      /Part (\d+): (\w+)/.exec(JSON.stringify(messages[asked]?.content)) ?? [];
    const part = Number(number);
    const path = `src/part${part % files}.ts`;
    const edit = { file_path: path, old_string: "state of", new_string: `part ${part}, state of` };
    const read = call("Read", { file_path: path });
    const steps: Record<string, ReturnType<typeof call>[][]> = {
      logs: [
        Array.from({ length: logs }, (_, log) =>
          call("Bash", { command: `cat test.log # ${part}, ${log}` }),
        ),
      ],
      edits: [[read], [call("Edit", edit)], [read]],
    };
    const content = (steps[work] ?? [])[step];
    const report = `${prose(work === "report" ? 600 : 10, part)}\nPart ${part} is done.`;
    return content ? say("", { content }) : say(report);
  };

const isPrompt = (content: ApiRequest["messages"][number]["content"]): boolean =>
  typeof content === "string" ||
  content.some((block) => block.type === "text" && block.text.startsWith("Part "));

/** A day with a window of this size, which some 6 parts with logs fill to 100 %. */
export async function workday(windowTokens: number) {
  const at = await program("workday");
  const api = startFakeApi({ responder: worker(windowTokens / 50_000), model: { windowTokens } });
  await Bun.write(join(at.folder, "test.log"), prose(logLines, 1));
  for (let file = 0; file < files; file++)
    await Bun.write(join(at.folder, `src/part${file}.ts`), `state of ${file}\n${prose(350, file)}`);
  const open = (...args: string[]): Promise<MemoryTerminal> =>
    at.open({
      args: ["--permission-mode", "accept-edits", ...args],
      cols: 110,
      rows: 40,
      isKept: true,
      env: { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url },
    });
  let pty = await open();
  let parts = 0;
  return {
    api,
    get pty(): MemoryTerminal {
      return pty;
    },
    /** Asks for the next part. Returns the lines of its cuts; the screen shows where it begins. */
    async ask(work: Work): Promise<string[]> {
      const part = parts++;
      await pty.send(
        `Part ${part}: ${work}, please.`,
        (now) => now.includes(`Part ${part} is done.`) && idle.test(now),
      );
      const shown = await pty.hit("alt+up", `❯ Part ${part}`);
      return Array.from(shown.matchAll(/── ▸ .*/g), ([line]) => line);
    },
    /** Back to the end of the conversation. */
    async end(): Promise<void> {
      await pty.hit("ctrl+end", `Part ${parts - 1} is done.`);
    },
    /** Leaves, and comes back to the same session minutes later. */
    async comeBack(minutes: number): Promise<void> {
      await pty.close();
      for await (const path of new Glob("**/*.jsonl").scan({
        cwd: at.env["MINI_CLAUDE_HOME"] ?? "",
        absolute: true,
      })) {
        const text = await Bun.file(path).text();
        const earlier = (time: string): string =>
          new Date(Date.parse(time) - minutes * 60_000).toISOString();
        await Bun.write(path, text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, earlier));
      }
      pty = await open("--continue");
    },
    async close(): Promise<void> {
      await pty.close();
      await api.stop();
      await at.remove();
    },
  };
}

export type Workday = Awaited<ReturnType<typeof workday>>;

/** Parts until the line of this cut is shown; returns the line. */
async function until(day: Workday, work: Work, cut: RegExp): Promise<string> {
  const seen: string[] = [];
  while (seen.length < 60) {
    const lines = await day.ask(work);
    const line = lines.find((one) => cut.test(one));
    if (line !== undefined) return line;
    await day.end();
    seen.push(...lines, "");
  }
  throw new Error(`No cut ${cut.source}, but:\n${seen.join("\n")}`);
}

/** A day in which every tier cuts, with the default settings; `shown` is called at each cut. */
export async function fourTiers(
  day: Workday,
  shown: (tier: "clear" | "trim" | "stale" | "summary", line: string) => void | Promise<void>,
): Promise<void> {
  for (let part = 0; part < 2; part++) {
    await day.ask("logs");
    await day.end();
  }
  await day.comeBack(10);
  await shown("clear", await until(day, "logs", / cleared · /));
  await day.end();
  await shown("trim", await until(day, "logs", / trimmed · /));
  await day.end();
  await shown("stale", await until(day, "edits", / dropped · /));
  await day.end();
  await shown("summary", await until(day, "report", / summarized · /));
}
