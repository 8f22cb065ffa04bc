import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cli, sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = await sandbox("full-disk", "/bin/bash");
afterAll(box.remove);

const words = (prompt: string): string[] => ["-p", "--offline", "--permission-mode=bypass", prompt];

/** With room on the disk. */
const run = (prompt: string, ...more: string[]) => inProcess(box).run([...more, ...words(prompt)]);

/** `limit`: the maximum size of a file in kilobytes. The shell ignores the signal, so writes just fail. */
const runFull = (limit: number, prompt: string, ...more: string[]) =>
  box.run([
    "-c",
    `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`,
    "-",
    cli,
    ...more,
    ...words(prompt),
  ]);

test("a full disk ends a run with one sentence, leaves no output that the log cannot name, and the session continues once there is room", async () => {
  const line = "run `seq -f %0900.0f 40`";
  expect((await run("hello")).code).toBe(0);
  const full = await runFull(40, line, "--continue");
  expect([full.code, full.out]).toEqual([1, ""]);
  expect(full.err.match(/cannot be written/g)).toHaveLength(1);
  const results = join(box.home, "tool-results");
  expect(readdirSync(results)).toEqual([]);
  expect((await run("hello", "--continue")).code).toBe(0);
  await run(line);
  expect(readdirSync(results)).toHaveLength(1);
});
