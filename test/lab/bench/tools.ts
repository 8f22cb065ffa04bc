/**
 * What the tools add to the programs that they stand for: `bun test/lab/bench/tools.ts [files]`. Each pair is
 * measured in turns, the best of several, because whatever else runs only adds to it.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRipgrep } from "../../../src/tools/search/ripgrep.ts";
import { leave, quietRun, room, type Room } from "../../tools/room.ts";

const files = Number(process.argv[2] ?? 50_000);
const rounds = 15;
/** For work that takes some milliseconds. */
const quickRounds = 60;

const root = mkdtempSync(join(tmpdir(), "bench-tools-"));
const rg = findRipgrep() ?? "rg";
const env = { PATH: process.env["PATH"] ?? "" };

function makeTree(): void {
  const text = Array.from({ length: 30 }, (_, n) => `export const v${n} = f(${n}, "words");`).join(
    "\n",
  );
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".gitignore"), "node_modules\ndist\n*.log\n");
  for (let n = 0; n < files; n++) {
    const folder = join(root, `pack${Math.floor(n / 1_000)}`, `part${Math.floor(n / 50) % 20}`);
    if (n % 50 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${n}.ts`), n % 997 === 0 ? `${text}\nneedle\n` : text);
  }
}

async function spawn(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: root, env, stdin: "ignore", stdout: "pipe" });
  await new Response(child.stdout).bytes();
  await child.exited;
}

type Cost = { ms: number; cpuMs: number };

/** The minimum of each over this many rounds. */
async function best(count: number, ...works: (() => Promise<unknown>)[]): Promise<Cost[]> {
  const costs = works.map((): Cost => ({ ms: Infinity, cpuMs: Infinity }));
  for (let round = 0; round < count; round++)
    for (const [index, work] of works.entries()) {
      const cpu = cpuMs();
      const from = performance.now();
      await work();
      const ms = performance.now() - from;
      const least = costs[index];
      if (least)
        costs[index] = {
          ms: Math.min(least.ms, ms),
          cpuMs: Math.min(least.cpuMs, cpuMs() - cpu),
        };
    }
  return costs;
}

/** Processor time of this process and of its children that have ended; 0 if unknown. */
function cpuMs(): number {
  if (!existsSync("/proc/self/stat")) return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const times = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = times.slice(11, 15).reduce((sum, one) => sum + Number(one), 0);
  return ticks * msOfTick;
}

/** For programs; on Linux only. */
const msOfTick = 10;

const memoryMb = (): number => process.memoryUsage.rss() / 2 ** 20;

/** The most memory that `work` adds. */
async function peakMb(work: () => Promise<unknown>): Promise<number> {
  Bun.gc(true);
  const before = memoryMb();
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, memoryMb()));
  const timer = setInterval(look, 5);
  await work();
  clearInterval(timer);
  look();
  return peak - before;
}

const rows: Record<string, string>[] = [];
const add = (what: string, ours: Cost, base: Cost): void =>
  void rows.push({
    what,
    tool: `${ours.ms.toFixed(1)} ms`,
    base: `${base.ms.toFixed(1)} ms`,
    ratio: `${(ours.ms / base.ms).toFixed(2)}x`,
    more: `${(ours.ms - base.ms).toFixed(1)} ms`,
    // Clock ticks are too coarse for shorter times.
    cpu: base.cpuMs < 5 * msOfTick ? "" : `${(ours.cpuMs / base.cpuMs).toFixed(2)}x`,
  });
const addMemory = (mb: number): void =>
  void rows.push({ what: "  memory", tool: "", base: "", ratio: "", more: `${mb.toFixed(1)} MB` });

makeTree();
const at = await room({ workspace: root });
/** Reads output as often as the screen does. */
const plain = await room({ workspace: root, sandbox: "off", progressMs: 100 });
const pair = async (
  what: string,
  ours: () => Promise<unknown>,
  base: () => Promise<unknown>,
  count = rounds,
) => {
  const [tool, program] = await best(count, ours, base);
  if (tool && program) add(what, tool, program);
};

for (const [pattern, where] of [
  ["needle", "in few files"],
  ["export", "in all files"],
] as const)
  for (const [output_mode, flag] of [
    ["files_with_matches", "--files-with-matches"],
    ["count", "--count"],
    ["content", "--line-number"],
  ] as const)
    await pair(
      `Grep, ${output_mode}, ${where} of ${files}, against rg`,
      () => at.say("Grep", { pattern, output_mode }),
      () => spawn(rg, flag, pattern, "."),
    );
await pair(
  `Glob, ${files} files, against rg --files`,
  () => at.say("Glob", { pattern: "**/*7.ts" }),
  () => spawn(rg, "--files", "--glob", "**/*7.ts", "."),
);
await pair(
  "Bash without a sandbox, against bash",
  () => plain.say("Bash", { command: "true" }),
  () => spawn("bash", "-c", "true"),
);
let calls = 0;
/** Only a call that was judged runs in the sandbox. */
const judged = async ({ box }: Room, command: string): Promise<void> => {
  const call = {
    type: "tool_use",
    id: `bench${calls++}`,
    name: "Bash",
    input: { command },
  } as const;
  await box.review(call);
  await box.run(call, quietRun());
};
// "pwd" is read-only, "true x" was approved; both run immediately, and 50,000 files are scanned
// before them.
for (const [what, command] of [
  ["that only looks", "pwd"],
  ["that was approved", "true x"],
] as const) {
  await pair(
    `Bash ${what}, ${files} files, in the sandbox against without`,
    () => judged(at, command),
    () => judged(plain, command),
    quickRounds,
  );
}
const printMuch = "head -c 200000000 /dev/zero | tr '\\0' x";
const runPrinting = (): Promise<unknown> => plain.say("Bash", { command: printMuch });
await pair("Bash, 200 MB of output, against a file", runPrinting, () =>
  spawn("bash", "-c", `${printMuch} > out.log`),
);
addMemory(await peakMb(runPrinting));

const large = join(root, "large.log");
await spawn("bash", "-c", `yes 'a line of a log' | head -c 1000000000 > ${large}`);
const readStart = (): Promise<unknown> => at.say("Read", { file_path: large, limit: 10 });
await readStart();
await pair("Read, the first lines of 1 GB, against head", readStart, () =>
  spawn("head", "-n", "10", large),
);
addMemory(await peakMb(readStart));

for (let n = 0; n < 10; n++)
  await plain.say("Bash", {
    command: `yes 'a line of output' | head -c 20000000; sleep 60`,
    run_in_background: true,
  });
await Bun.sleep(2_000);
const poll = async (): Promise<void> => {
  for (let n = 1; n <= 10; n++) await plain.say("BashOutput", { bash_id: `bash_${n}` });
};
addMemory(await peakMb(poll));
await pair("BashOutput, ten commands with 20 MB each, again", poll, async () => {});

console.table(rows);
await leave();
rmSync(root, { recursive: true, force: true });
process.exit(0);
