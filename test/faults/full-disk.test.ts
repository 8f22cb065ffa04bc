import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun, awaitResult } from "../bin.ts";

const root = mkdtempSync(join(tmpdir(), "full-disk-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/**
 * `limit`: the maximum size of a file in kilobytes. The shell ignores the signal, so writes just
 * fail.
 */
const run = (limit: string, ...more: string[]) => runPrompt("hello", limit, ...more);

async function runPrompt(prompt: string, limit: string, ...more: string[]) {
  const start = `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`;
  const command = [cli, "-p", "--offline", ...more, prompt];
  const child = Bun.spawn(["bash", "-c", start, "-", ...command], {
    cwd: root,
    env: {
      HOME: root,
      MINI_CLAUDE_HOME: join(root, "home"),
      PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return awaitResult(child);
}

test("a full disk ends a run with one sentence, and the session continues once there is room", async () => {
  const first = await run("unlimited");
  expect(first.code).toBe(0);
  const full = await run("1", "--continue");
  expect(full.code).toBe(1);
  expect(full.out).toBe("");
  expect(full.err.match(/cannot be written/g)).toHaveLength(1);
  const again = await run("unlimited", "--continue");
  expect(again.code).toBe(0);
  expect(again.out).toBe(first.out);
});

test("output that the log has no room to name does not stay on the disk", async () => {
  const line = "run `seq -f %0900.0f 40`";
  const full = await runPrompt(line, "40", "--permission-mode", "bypass");
  expect(full.err).toContain("cannot be written");
  expect(full.code).toBe(1);
  expect(readdirSync(join(root, "home/tool-results"))).toEqual([]);
  expect((await run("unlimited", "--continue")).code).toBe(0);
  await runPrompt(line, "unlimited", "--permission-mode", "bypass");
  expect(readdirSync(join(root, "home/tool-results"))).toHaveLength(1);
});
