/**
 * Which test files of a room catch faults that no other one catches: each mutant is tried with all tests
 * that run its line, and those that start the program.
 *
 *   bun test/lab/mutation/matrix.ts ROOM [--seed N] [--count N] [--file PART] [--out FILE]
 *
 * FILE gets a line of JSON for each mutant: where it is, and the tests that fail.
 */

import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCoverage, testsOf } from "./coverage.ts";
import { findMutants, shuffled, type Mutant } from "./mutants.ts";
import { listSources, listTests } from "./room.ts";
import { Sandbox } from "./sandbox.ts";
import { measureTimes } from "./trial.ts";

/** `tests` is "all" when a mutant hangs or ends the process, so that none of them reports. */
type Row = { mutant: Mutant; tests: string[] | "all" };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "60" },
    file: { type: "string", default: "" },
    out: { type: "string" },
  },
});
const [room] = positionals;
if (room === undefined) {
  console.error("Usage: bun test/lab/mutation/matrix.ts ROOM [--seed N] [--count N] [--out FILE]");
  process.exit(2);
}

const root = join(import.meta.dir, "../../..");
const sandboxes = [new Sandbox(root), new Sandbox(root)] as const;
const rows: Row[] = [];
try {
  const tests = listTests(root, room);
  const times = await measureTimes(sandboxes[0], tests);
  const maxMs = 20_000 + 4 * [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const coverage = await measureCoverage(sandboxes[0], tests);
  const starts = tests.filter((test) => startsProgram(join(root, test)));
  const queue = shuffled(
    listSources(root, room)
      .filter((source) => source.includes(values.file))
      .flatMap((source) => findMutants(root, source)),
    Number(values.seed),
  );
  if (values.out !== undefined) writeFileSync(values.out, "");
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (let mutant = next(); mutant; mutant = next()) {
        const covering = [...testsOf(coverage, mutant.file, mutant.line)];
        const row = await attempt(sandbox, mutant, [...new Set([...covering, ...starts])], maxMs);
        if (row === undefined) continue;
        rows.push(row);
        if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(row)}\n`);
      }
    }),
  );
  report(tests);

  function next(): Mutant | undefined {
    return rows.length < Number(values.count) ? queue.shift() : undefined;
  }
} finally {
  for (const sandbox of sandboxes) sandbox.remove();
}

/** Coverage does not see what runs in another process. */
function startsProgram(test: string): boolean {
  return /from "[^"]*\/(bin|pty|real-program)\.ts"/.test(readFileSync(test, "utf8"));
}

/** Undefined for a mutant that does not compile. */
async function attempt(
  sandbox: Sandbox,
  mutant: Mutant,
  tests: readonly string[],
  maxMs: number,
): Promise<Row | undefined> {
  const file = join(sandbox.root, "report.xml");
  rmSync(file, { force: true });
  return sandbox.with(mutant, async () => {
    if ((await sandbox.bun(["check", `./${mutant.file}`], 300_000)).code !== 0) return undefined;
    if (tests.length === 0) return { mutant, tests: [] };
    const options = ["--timeout=20000", "--reporter=junit", `--reporter-outfile=${file}`];
    const { code } = await sandbox.bun(
      ["test", ...options, ...tests.map((test) => `./${test}`)],
      maxMs,
    );
    if (code === 0) return { mutant, tests: [] };
    return { mutant, tests: existsSync(file) ? failed(readFileSync(file, "utf8"), tests) : "all" };
  });
}

/** The failed tests as `file: name`; a file without a result did not load. */
function failed(report: string, tests: readonly string[]): string[] {
  const names = report.matchAll(/<testcase name="([^"]*)"[^>]*? file="([^"]*)"[^>]*?>\s*<failure/g);
  const missing = tests.filter((test) => !report.includes(` file="${test}"`));
  return [...[...names].map(([, name, file]) => `${file}: ${name}`), ...missing];
}

function report(tests: readonly string[]): void {
  const caught = rows.filter(({ tests: failing }) => failing.length > 0);
  console.log(`${room}, seed ${values.seed}: ${caught.length} of ${rows.length} caught`);
  for (const { mutant } of rows.filter(({ tests: failing }) => failing.length === 0))
    console.log(
      `survived ${mutant.file}:${mutant.line}\n  - ${mutant.before}\n  + ${mutant.after}`,
    );
  console.log("\nlines  catches  catches alone");
  for (const test of tests) {
    const by = (row: Row): Set<string> =>
      new Set(row.tests === "all" ? [] : row.tests.map((name) => name.split(": ")[0] ?? ""));
    const own = caught.filter((row) => by(row).has(test));
    const lines = readFileSync(join(root, test), "utf8").split("\n").length - 1;
    const alone = own.filter((row) => by(row).size === 1).length;
    console.log(
      `${String(lines).padStart(5)} ${String(own.length).padStart(8)} ${String(alone).padStart(14)}  ${test}`,
    );
  }
}
