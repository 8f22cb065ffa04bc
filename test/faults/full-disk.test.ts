import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun, awaitResult } from "../bin.ts";

const root = mkdtempSync(join(tmpdir(), "full-disk-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/**
 * `limit`: the maximum size of a file in kilobytes. The shell ignores the signal, so writes just
 * fail.
 */
async function run(limit: string, ...more: string[]) {
  const start = `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`;
  const command = [cli, "-p", "--offline", ...more, "hello"];
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
