/** What is moved aside comes back only to where nobody wrote meanwhile. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { putBack, setAside } from "../../src/snapshots/aside.ts";
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
  const { stay, asides, taken } = await setAside(files, async () => true, session);
  expect(stay).toEqual([]);
  expect(read(at.path("f"))).toBe(before);
  if (before !== null) expect(statSync(at.path("f")).mode & 0o777).toBe(0o640);
  if (meanwhile === null) rmSync(at.path("f"), { force: true });
  else at.put("f", meanwhile);
  const { back, left } = await putBack(asides, taken, session);
  expect(read(at.path("f"))).toBe(after);
  const isBack = after === "command\n";
  expect([back, left]).toEqual(isBack ? [files, []] : [[], asides]);
  if (isBack) expect(statSync(at.path("f")).mode & 0o777).toBe(0o755);
});

test.each([
  ["a large file", "head -c 17000000 /dev/zero > f"],
  ["a pipe", "mkfifo f"],
])("%s, whose content is not kept, gets another name", async (_, line) => {
  const at = testWorkspace();
  const session = at.session();
  const { files } = await at.command(session, () => at.sh(line));
  const { asides, taken } = await setAside(files, async () => true, session);
  expect([readdirSync(at.root), asides]).toEqual([
    ["f.disabled"],
    files.map((change) => ({ change, state: "disabled" as const })),
  ]);
  expect((await putBack(asides, taken, session)).back).toEqual(files);
  expect(readdirSync(at.root)).toEqual(["f"]);
});
