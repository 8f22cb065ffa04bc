/** Many mutants of some rooms, each tried with the tests that run its line, and those that start the program. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { countSources, measureCoverage, testsOf } from "./coverage.ts";
import { findMutants, shuffled, type Mutant } from "./mutants.ts";
import { listAllTests, listSources, listTests, startedSources } from "./room.ts";
import { Sandbox } from "./sandbox.ts";

export type Campaign = {
  root: string;
  rooms: readonly string[];
  seed: number;
  /** How many mutants that compile are tried in each room; fewer if the room has no more. */
  count: number;
  /** Only mutants of files whose path contains this. */
  file?: string | undefined;
  line?: number | undefined;
  /** Tries what the tests of the room let pass with those of all other rooms. */
  suite?: boolean;
  /** Stops at the first test that fails: quicker, but it does not show what others catch. */
  bail?: boolean;
  /** Tests that run for longer, in milliseconds, have failed. */
  hangMs?: number;
};

/**
 * `tests`: those of the room that fail; "all" when a mutant hangs or ends the process, so that none of them reports.
 * `elsewhere`: one of another room fails.
 */
export type Row = { mutant: Mutant; tests: string[] | "all"; elsewhere: boolean };

/** `failing`: tests that fail without any mutant, which are left out. */
export type Result = { room: string; rows: Row[]; tests: ReadonlySet<string>; failing: string[] };

const atOnce = 2;

/** Yields the result of each room. Throws when one has no tests. */
export async function* run(campaign: Campaign): AsyncGenerator<Result, void> {
  const { root, rooms, seed, count, file = "", line, suite = false, bail = false } = campaign;
  const { hangMs = 300_000 } = campaign;
  // The copies are made first: after that, the tree may change.
  const sandboxes = Array.from({ length: atOnce }, () => new Sandbox(root));
  try {
    const tree = sandboxes[0]?.root ?? root;
    const testsByRoom = new Map(rooms.map((room) => [room, new Set(listTests(tree, room))]));
    for (const [room, tests] of testsByRoom)
      if (tests.size === 0) throw new Error(`The room ${room} has no tests.`);
    const all = new Set([...testsByRoom.values()].flatMap((tests) => [...tests]));
    if (suite) for (const test of listAllTests(tree)) all.add(test);
    const { coverage, failing } = await measureCoverage(sandboxes, all);
    const starting = new Set([...all].filter((test) => startsProgram(join(tree, test))));
    const breadth = countSources(coverage);
    /** The tests; when it bails, the most specific ones first. */
    const groupsOf = (tests: ReadonlySet<string>): ReadonlySet<string>[] => {
      if (!bail) return [tests];
      const ordered = [...tests].sort((a, b) => (breadth.get(a) ?? 0) - (breadth.get(b) ?? 0));
      return [new Set(ordered.slice(0, 5)), new Set(ordered.slice(5))];
    };
    for (const [room, tests] of testsByRoom) {
      const queue = shuffled(
        listSources(tree, room)
          .filter((source) => source.includes(file))
          .flatMap((source) => findMutants(tree, source))
          .filter((mutant) => line === undefined || mutant.line === line),
        seed,
      );
      const own = tests.difference(failing);
      const others = all.difference(tests).difference(failing);
      const rows: Row[] = [];
      let open = count;
      const work = async (sandbox: Sandbox): Promise<void> => {
        while (open > 0) {
          const mutant = queue.shift();
          if (!mutant) return;
          open--;
          const row = await sandbox.with(mutant, async () => {
            const { code } = await sandbox.bun(["check", `./${mutant.file}`], hangMs);
            if (code !== 0) return null;
            const covering = testsOf(coverage, mutant.file, mutant.line)
              .union(starting)
              .union(new Set(startedSources[mutant.file]));
            for (const group of groupsOf(covering.intersection(own))) {
              const failed = await failures(sandbox, group, hangMs, bail ? ["--bail"] : []);
              if (failed.length > 0) return { mutant, tests: failed, elsewhere: false };
            }
            const further = covering.intersection(others);
            const later = await failures(sandbox, further, hangMs, ["--bail"]);
            return { mutant, tests: [], elsewhere: later.length > 0 };
          });
          if (row) rows.push(row);
          else open++;
        }
      };
      await Promise.all(sandboxes.map(work));
      yield { room, rows, tests: own, failing: [...failing].sort() };
    }
  } finally {
    for (const sandbox of sandboxes) sandbox.remove();
  }
}

/** Coverage does not see what runs in another process. */
const startsProgram = (test: string): boolean =>
  /from "[^"]*\/(bin|pty|real-program)\.ts"/.test(readFileSync(test, "utf8"));

/** The failed tests as `file: name`; a file without a result did not load. */
async function failures(
  sandbox: Sandbox,
  tests: ReadonlySet<string>,
  maxMs: number,
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
