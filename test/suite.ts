/**
 * The whole suite, as `bun run test` runs it: lint and builds, then all tests, or those of the given paths.
 * What failed is printed again after everything else, with the command that shows it.
 */

import { join } from "node:path";

const cwd = join(import.meta.dir, "..");
const bun = process.execPath;

const preparing = [
  [bun, "run", "lint"],
  [bun, "test/builds.ts"],
].map((command) => Bun.spawn(command, { cwd, stdout: "inherit", stderr: "inherit" }).exited);
const failed = (await Promise.all(preparing)).find((code) => code !== 0);
if (failed !== undefined) process.exit(failed);

const options = [
  // The files that take more than two seconds: they start first.
  "--timings=test/timings.json",
  "--path-ignore-patterns=test/lab/**",
  "--parallel=4",
  "--no-isolate",
  "--timeout=300000",
];
// Errors and results come in order only from one pipe.
const inOrder = ["sh", "-c", 'exec "$@" 2>&1', "sh"];
const tests = Bun.spawn([...inOrder, bun, "test", ...options, ...process.argv.slice(2)], {
  cwd,
  env: {
    ...process.env,
    MINI_CLAUDE_TEST_BUILDS: join(cwd, "dist"),
    BUN_JSC_useFTLJIT: "0",
    // As the program runs: React checks less.
    NODE_ENV: "production",
  },
  stdout: "pipe",
  stderr: "inherit",
});
/** The failed tests of each file. */
const failures = new Map<string, string[]>();
/** Errors, which Bun prints somewhere near their tests; each names its place. */
const errors: string[] = [];
await echo(tests.stdout);
const code = await tests.exited;
for (const error of errors) console.log(`\n${error}`);
for (const [file, names] of failures) console.log(`\n${file}:\n${names.join("\n")}`);
if (failures.size > 0) console.log("\nTo see the failures again:");
for (const file of failures.keys()) console.log(`  bun test ./${file}`);
process.exit(code);

/** Passes output on, and keeps what belongs to failures. */
async function echo(output: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let [file, rest, isOver] = ["", "", false];
  let block: string[] = [];
  for await (const bytes of output) {
    process.stdout.write(bytes);
    const complete = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) {
      // The list at the end has no more than names.
      isOver ||= /^\d+ tests failed:$/.test(line);
      if (isOver) continue;
      const heading = /^(\S+\.test\.tsx?):$/.exec(line)?.[1];
      const result = /^\((pass|fail|skip|todo)\) /.exec(line)?.[1];
      file = heading ?? file;
      if (result === "fail") failures.set(file, [...(failures.get(file) ?? []), line]);
      if (heading === undefined && result === undefined) {
        block.push(line);
        continue;
      }
      const text = block.join("\n").trim();
      if (/^error: |^ +at .*:\d+\)?$/m.test(text)) errors.push(text);
      block = [];
    }
  }
}
