/** A folder to run the real program in, and sessions of any length. */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../../../bin.ts";
import { Program } from "./program.ts";

export type Place = {
  start(...flags: string[]): Program;
  /** Adds entries to the session that was written last. */
  grow(entries: number): Promise<void>;
  remove(): Promise<void>;
};

export async function place(url: string, program = cli): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), "bench-screen-"));
  const home = join(root, "home");
  const cwd = join(root, "project");
  await mkdir(cwd);
  const env = {
    HOME: root,
    MINI_CLAUDE_HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "bench",
    PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
  };
  return {
    start: (...flags) =>
      new Program([program, "--trust", "--permission-mode", "bypass", ...flags], { cwd, env }),
    async grow(entries) {
      const logs = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(home));
      const file = join(home, logs.toSorted().at(-1) ?? "");
      const begun = await Bun.file(file).text();
      const head = /"id":"(e\d+)"/.exec(begun.trimEnd().split("\n").at(-1) ?? "")?.[1] ?? "";
      await Bun.write(file, begun + linesAfter(head, entries));
    },
    remove: () => rm(root, { recursive: true }),
  };
}

/** Questions, calls, results, answers. */
function linesAfter(head: string, entries: number): string {
  const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 20 };
  const at = new Date().toISOString();
  const answer = { type: "assistant", model: "bench", usage, sentAt: at };
  const lines: string[] = [];
  let parent = head;
  for (let n = 0; n < entries; n += 4) {
    const id = `call${n}`;
    const text = (words: string) => [{ type: "text", text: words }];
    const call = { type: "tool_use", id, name: "Bash", input: { command: `echo ${n}` } };
    const facts = [
      { type: "user", content: text(`Question ${n}`) },
      { ...answer, content: [call], stop: "tool_use" },
      { type: "result", toolUse: id, tool: "Bash", content: text(`${n}`), bytes: 6, lines: 1 },
      { ...answer, content: text(`Answer **${n}**.\n\n- one\n- two`), stop: "end_turn" },
    ];
    for (const [index, fact] of facts.entries()) {
      const next = `e${Number(head.slice(1)) + n + index + 1}`;
      lines.push(JSON.stringify({ id: next, parent, at, ...fact }));
      parent = next;
    }
  }
  return `${lines.join("\n")}\n`;
}
