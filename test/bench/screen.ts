/**
 * What the screen costs with a short and with a long transcript, in one run, on this machine:
 * `bun test/bench/screen.ts`. Prints a table; exits with 1 when a bound does not hold.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWithBun } from "../bin.ts";
import { start, type Pty } from "../tui/pty.ts";

type Costs = {
  items: number;
  readyMs: number;
  keyMs: number;
  pageMs: number;
  bytesPerKey: number;
  bytesPerToken: number;
  memoryMb: number;
};

const program = `${import.meta.dir}/../tui/scripted-screen.ts`;

/** Longer than a frame: what is measured is the work for a key, not the wait for the next frame. */
const pauseMs = 50;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function costs(items: number): Promise<Costs> {
  const from = performance.now();
  const script = JSON.stringify({ items, settings: { mouse: false } });
  const pty = start([process.execPath, program, script], { cols: 100, rows: 40 });
  await pty.waitFor("❯ Ask");
  const readyMs = performance.now() - from;
  const memoryMb = await residentMb(pty);

  const keys: number[] = [];
  let typed = "";
  const beforeKeys = pty.written();
  for (const letter of "the quick brown fox jumps over it") {
    typed += letter;
    await Bun.sleep(pauseMs);
    keys.push(
      await timed(async () => {
        await pty.type(letter);
        await pty.waitFor(() => pty.cursor().column === 4 + typed.length);
      }),
    );
  }
  const bytesPerKey = (pty.written() - beforeKeys) / typed.length;
  await pty.press("ctrl+u");
  await pty.waitFor("❯ Ask");

  const pages: number[] = [];
  for (let page = 0; page < 12; page++) {
    await Bun.sleep(pauseMs);
    const before = pty.screen();
    const key = page % 2 === 0 ? "pageup" : "pagedown";
    pages.push(
      await timed(async () => {
        await pty.press(key);
        await pty.waitFor((now) => now !== before);
      }),
    );
  }
  await pty.press("ctrl+end");

  const tokens = 400;
  await pty.type(`stream ${tokens}\r`);
  await pty.waitFor("w1 ");
  const beforeTokens = pty.written();
  await pty.waitFor(`w${tokens - 3}`);
  const bytesPerToken = (pty.written() - beforeTokens) / tokens;
  await pty.close();
  return {
    items,
    readyMs,
    keyMs: median(keys),
    pageMs: median(pages),
    bytesPerKey,
    bytesPerToken,
    memoryMb,
  };
}

async function residentMb(pty: Pty): Promise<number> {
  const status = await Bun.file(`/proc/${pty.pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The program on a real session of so many entries: milliseconds to its screen, the best of five. */
async function opened(entries: number): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), "bench-screen-"));
  const home = join(root, "home");
  const env = {
    HOME: root,
    MINI_CLAUDE_HOME: home,
    PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
  };
  const cli = join(import.meta.dir, "..", "..", "src", "cli.tsx");
  const first = start([cli, "--offline", "--trust"], { cwd: root, env });
  await first.waitFor("❯ Ask");
  await first.type("what did I ask first?\r");
  await first.waitFor((now) => now.includes("first question") && now.includes("❯ Ask"));
  await first.type("/exit\r");
  await first.exited;
  await first.close();
  const [log = ""] = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(home));
  const file = join(home, log);
  const begun = await Bun.file(file).text();
  const head = /"id":"(e\d+)"/.exec(begun.trimEnd().split("\n").at(-1) ?? "")?.[1] ?? "";
  await Bun.write(file, begun + longer(entries, head));
  let best = Infinity;
  for (let run = 0; run < 5; run++) {
    const from = performance.now();
    const pty = start([cli, "--offline", "--trust", "--continue"], {
      cwd: root,
      cols: 100,
      rows: 40,
      env,
    });
    await pty.waitFor("❯ Ask");
    best = Math.min(best, performance.now() - from);
    await pty.type("/exit\r");
    await pty.exited;
    await pty.close();
  }
  await rm(root, { recursive: true });
  return best;
}

/** Lines of so many entries behind `head`: questions, calls, results, answers. */
function longer(entries: number, head: string): string {
  const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 20 };
  const at = "2026-01-01T00:00:00.000Z";
  const answer = { type: "assistant", model: "offline", usage, sentAt: at };
  const lines: string[] = [];
  let parent: string | null = head;
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
    facts.forEach((fact, index) => {
      const next = `e${1_000 + n + index}`;
      lines.push(JSON.stringify({ id: next, parent, at, ...fact }));
      parent = next;
    });
  }
  return `${lines.join("\n")}\n`;
}

const few = await costs(40);
const many = await costs(10_000);
const huge = await opened(100_000);
console.table(
  [few, many].map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, Math.round(value * 10) / 10]),
    ),
  ),
);

const bounds: [string, number, number][] = [
  ["key, 10,000 items to few", many.keyMs / few.keyMs, 1.5],
  ["page, 10,000 items to few", many.pageMs / few.pageMs, 1.5],
  ["bytes a key", many.bytesPerKey, 56],
  ["bytes a token", many.bytesPerToken, 100],
  ["MB above a short session", many.memoryMb - few.memoryMb, 100],
  ["ms to open a session of 100,000 entries", huge, 1_000],
];
let failed = false;
for (const [what, value, bound] of bounds) {
  const holds = value <= bound;
  failed ||= !holds;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}: ${value.toFixed(2)} (at most ${bound})`);
}
process.exit(failed ? 1 : 0);
