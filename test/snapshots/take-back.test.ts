/** What is taken back comes again only to where nobody wrote meanwhile. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { removeWorkspaces, testWorkspace } from "./workspace.ts";

afterAll(removeWorkspaces);

const read = (path: string): string | null =>
  existsSync(path) ? readFileSync(path, "utf8") : null;

test.each([
  ["a new file", null, null, "command\n"],
  ["a new file that the user made meanwhile", null, "theirs\n", "theirs\n"],
  ["a changed file", "mine\n", "mine\n", "command\n"],
  ["a changed file that the user changed meanwhile", "mine\n", "theirs\n", "theirs\n"],
  ["a changed file that the user removed meanwhile", "mine\n", null, null],
])("%s", async (_, before, meanwhile, after) => {
  const at = testWorkspace();
  const session = at.session();
  if (before !== null) at.put("f", before);
  if (before !== null) chmodSync(at.path("f"), 0o640);
  const { files } = await at.command(session, () => at.sh("echo command > f && chmod 755 f"));
  const taken = await session.takeBack(files);
  expect(read(at.path("f"))).toBe(before);
  if (before !== null) expect(statSync(at.path("f")).mode & 0o777).toBe(0o640);
  if (meanwhile === null) rmSync(at.path("f"), { force: true });
  else at.put("f", meanwhile);
  const back = await session.takeBack(taken);
  expect(read(at.path("f"))).toBe(after);
  const isBack = after === "command\n";
  expect(back).toEqual(isBack ? files : []);
  if (isBack) expect(statSync(at.path("f")).mode & 0o777).toBe(0o755);
});
