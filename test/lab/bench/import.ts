/**
 * How much memory and time the import of a large session takes: `bun test/lab/bench/import.ts [MEGABYTES]`.
 * Writes made-up sessions to a temporary folder, imports each with the real program, and removes them.
 */

import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, ClaudeSession, text } from "../../commands/import/claude-lines.ts";
import { CodexSession } from "../../commands/import/codex-lines.ts";

const megabyte = 1024 * 1024;
const wanted = Number(process.argv[2] ?? 200) * megabyte;
const cli = join(import.meta.dir, "../../../src/cli.tsx");

/** A tool's output of a few kilobytes, never the same twice. */
const output = (number: number): string =>
  Array.from(
    { length: 60 },
    (_, line) => `${number}:${line} the till is counted every evening`,
  ).join("\n");

type Growing = { lines: unknown[] };

const claude = new ClaudeSession();
const codex = new CodexSession();

type Agent = { name: string; session: Growing; turn(number: number): void };

const agents: Agent[] = [
  {
    name: "Claude Code",
    session: claude,
    turn(number) {
      claude.user(`question ${number}`);
      claude.answer(`a${number}`, [call(`t${number}`, "Bash", { command: "count" })]);
      claude.add("progress", { data: { output: output(number) } });
      claude.result(`t${number}`, output(number));
      claude.answer(`b${number}`, [text("counted")]);
    },
  },
  {
    name: "Codex",
    session: codex,
    turn(number) {
      codex.user(`question ${number}`);
      codex.call(`t${number}`, "shell", { command: ["count"] });
      codex.tokens(1_000, 900, 10);
      codex.output(`t${number}`, output(number));
      codex.answer("counted");
    },
  },
];

function writeHere(file: string, { session, turn }: Agent, least: number): void {
  let bytes = 0;
  for (let number = 0; bytes < least; number++) {
    turn(number);
    if (session.lines.length < 500) continue;
    appendFileSync(file, session.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    session.lines.length = 0;
    bytes = statSync(file).size;
  }
}

if (process.argv[2] === "write") {
  const [file = "", name, least] = process.argv.slice(3);
  for (const agent of agents) if (agent.name === name) writeHere(file, agent, Number(least));
  process.exit(0);
}

const root = mkdtempSync(join(tmpdir(), "bench-import-"));

async function measure(args: string[]): Promise<{ ms: number; peak: number; out: string }> {
  const began = performance.now();
  const child = Bun.spawn([cli, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: root },
    stdin: "ignore",
    stdout: "pipe",
  });
  const out = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error("The import failed.");
  // Bun returns bytes on every system.
  const peak = child.resourceUsage()?.maxRSS ?? 0;
  return { ms: performance.now() - began, peak, out };
}

/**
 * Writes a session of at least so many bytes. In a process of its own, because the memory of what a
 * process starts is counted from the most that it had itself.
 */
async function write(file: string, name: string, least: number): Promise<number> {
  const args = [import.meta.path, "write", file, name, String(least)];
  if ((await Bun.spawn([process.execPath, ...args]).exited) !== 0) throw new Error("Not written.");
  return statSync(file).size;
}

try {
  const { peak: idle } = await measure(["import", "--help"]);
  console.log(`The program itself: ${(idle / megabyte).toFixed(0)} MB.`);
  for (const { name } of agents) {
    const short = join(root, `${name}, short.jsonl`);
    await write(short, name, 1);
    const { peak: least } = await measure(["import", short]);
    const file = join(root, `${name}.jsonl`);
    const bytes = await write(file, name, wanted);
    const { ms, peak, out } = await measure(["import", file]);
    const above = (base: number): string => ((peak - base) / bytes).toFixed(2);
    const entries = /(\d+) entries/.exec(out)?.[1] ?? "?";
    console.log(
      `${name}: ${(bytes / megabyte).toFixed(0)} MB, ${entries} entries, ${(ms / 1_000).toFixed(1)} s, ` +
        `${(peak / megabyte).toFixed(0)} MB at most: ${above(idle)} of the file above the program, ` +
        `${above(least)} above the import of a session of ${(statSync(short).size / megabyte).toFixed(1)} MB.`,
    );
    rmSync(file);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
