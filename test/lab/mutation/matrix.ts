/**
 * Which test files of a room catch faults that no other one catches: each mutant is tried with all tests
 * that run its line, and those that start the program.
 *
 *   bun test/lab/mutation/matrix.ts ROOM... [--seed N] [--count N] [--file PART] [--suite] [--out FOLDER]
 *
 * With --suite, a mutant that the room lets pass is tried with the tests of all other rooms. FOLDER gets
 * ROOM.jsonl with a line for each mutant: where it is, and the tests that fail.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCoverage, testsOf } from "./coverage.ts";
import { findMutants, shuffled, type Mutant } from "./mutants.ts";
import { listSources, listTests, listAllTests } from "./room.ts";
import { Sandbox } from "./sandbox.ts";

/**
 * `tests`: those of the room that fail; "all" when a mutant hangs or ends the process, so that none of them reports.
 * `elsewhere`: one of another room fails.
 */
type Row = { mutant: Mutant; tests: string[] | "all"; elsewhere?: boolean };

const { values, positionals: rooms } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "60" },
    file: { type: "string", default: "" },
    suite: { type: "boolean", default: false },
    out: { type: "string" },
  },
});
if (rooms.length === 0) {
  console.error("Usage: bun test/lab/mutation/matrix.ts ROOM... [--seed N] [--count N] [--suite]");
  process.exit(2);
}

/** A run of tests may take this long, in milliseconds. */
const maxMs = 300_000;
const root = join(import.meta.dir, "../../..");
const sandboxes = [new Sandbox(root), new Sandbox(root)] as const;
try {
  const all = values.suite ? listAllTests(root) : rooms.flatMap((room) => listTests(root, room));
  const { coverage, failing } = await measureCoverage(sandboxes, [...new Set(all)]);
  for (const test of failing) console.log(`${test} fails without any mutant: not counted`);
  const starting = new Set(all.filter((test) => startsProgram(join(root, test))));
  for (const room of rooms) {
    const own = new Set(listTests(root, room)).difference(failing);
    const others = new Set(all).difference(own).difference(failing);
    const queue = shuffled(
      listSources(root, room)
        .filter((source) => source.includes(values.file))
        .flatMap((source) => findMutants(root, source)),
      Number(values.seed),
    );
    const rows: Row[] = [];
    const next = (): Mutant | undefined =>
      rows.length < Number(values.count) ? queue.shift() : undefined;
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let mutant = next(); mutant; mutant = next()) {
          const covering = testsOf(coverage, mutant.file, mutant.line).union(starting);
          const row = await attempt(sandbox, mutant, [
            covering.intersection(own),
            values.suite ? covering.intersection(others) : new Set(),
          ]);
          if (row) rows.push(row);
        }
      }),
    );
    report(room, rows, own);
    if (values.out === undefined) continue;
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(join(values.out, `${room}.jsonl`), lines.join(""));
  }
} finally {
  for (const sandbox of sandboxes) sandbox.remove();
}

/** Coverage does not see what runs in another process. */
function startsProgram(test: string): boolean {
  return /from "[^"]*\/(bin|pty|real-program)\.ts"/.test(readFileSync(test, "utf8"));
}

/** Undefined for a mutant that does not compile. */
function attempt(
  sandbox: Sandbox,
  mutant: Mutant,
  [own, others]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): Promise<Row | undefined> {
  return sandbox.with(mutant, async () => {
    if ((await sandbox.bun(["check", `./${mutant.file}`], maxMs)).code !== 0) return undefined;
    const tests = await failed(sandbox, own);
    if (tests.length > 0) return { mutant, tests };
    return { mutant, tests, elsewhere: (await failed(sandbox, others, ["--bail"])).length > 0 };
  });
}

/** The failed tests as `file: name`; a file without a result did not load. */
async function failed(
  sandbox: Sandbox,
  tests: ReadonlySet<string>,
  further: readonly string[] = [],
): Promise<Row["tests"]> {
  if (tests.size === 0) return [];
  const file = join(sandbox.root, "report.xml");
  rmSync(file, { force: true });
  const options = ["--timeout=60000", "--reporter=junit", `--reporter-outfile=${file}`, ...further];
  const paths = [...tests].map((test) => `./${test}`);
  const { code } = await sandbox.bun(["test", ...options, ...paths], maxMs);
  if (code === 0) return [];
  if (!existsSync(file)) return "all";
  const report = readFileSync(file, "utf8");
  const names = report.matchAll(/<testcase name="([^"]*)"[^>]*? file="([^"]*)"[^>]*?>\s*<failure/g);
  const missing = [...tests].filter((test) => !report.includes(` file="${test}"`));
  return [...[...names].map(([, name, test]) => `${test}: ${name}`), ...missing];
}

function report(room: string, rows: readonly Row[], tests: ReadonlySet<string>): void {
  const survivors = rows.filter(({ tests }) => tests.length === 0);
  const elsewhere = survivors.filter((row) => row.elsewhere).length;
  const caught = rows.length - survivors.length;
  console.log(
    `${room}, seed ${values.seed}: ${caught} of ${rows.length} caught, ${elsewhere} elsewhere`,
  );
  for (const { mutant, elsewhere } of survivors) {
    const fate = elsewhere ? "caught elsewhere" : "survived";
    console.log(`${fate} ${mutant.file}:${mutant.line}\n  - ${mutant.before}\n  + ${mutant.after}`);
  }
  console.log("\nlines  catches  catches alone");
  for (const test of tests) {
    const by = ({ tests }: Row): Set<string> =>
      new Set(tests === "all" ? [] : tests.map((name) => name.split(": ")[0] ?? ""));
    const own = rows.filter((row) => by(row).has(test));
    const lines = readFileSync(join(root, test), "utf8").split("\n").length - 1;
    const alone = own.filter((row) => by(row).size === 1).length;
    const numbers = `${String(lines).padStart(5)} ${String(own.length).padStart(8)}`;
    console.log(`${numbers} ${String(alone).padStart(14)}  ${test}`);
  }
}
