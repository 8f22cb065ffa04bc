/** What is moved aside comes back only to where nobody wrote meanwhile. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { putBack, setAside } from "../../src/snapshots/aside.ts";
import { contentId } from "../../src/snapshots/objects.ts";
import { removeWorkspaces, testWorkspace } from "./workspace.ts";

afterAll(removeWorkspaces);

const mine = Buffer.from("mine\n");
const command = Buffer.from("command\n");

test.each([
  ["a new file", null, null, "command\n"],
  ["a new file that the user made meanwhile", null, "theirs\n", "theirs\n"],
  ["a changed file", "mine\n", "mine\n", "command\n"],
  ["a changed file that the user changed meanwhile", "mine\n", "theirs\n", "theirs\n"],
  ["a changed file that the user removed meanwhile", "mine\n", null, "command\n"],
])("%s", async (_, before, meanwhile, after) => {
  const at = testWorkspace();
  const path = at.path("f");
  at.put("f", command);
  const old = before === null ? null : contentId(mine);
  const change = { path, before: old, after: contentId(command), mode: 0o640, modeAfter: 0o755 };
  const load = async () => new Map([[contentId(mine), mine]]);
  const { stay, asides } = await setAside([change], async () => true, join(at.own, "aside"), load);
  expect(stay).toEqual([]);
  expect(existsSync(path) ? readFileSync(path, "utf8") : null).toBe(before);
  if (before !== null) expect(statSync(path).mode & 0o777).toBe(0o640);
  if (meanwhile === null) rmSync(path, { force: true });
  else at.put("f", meanwhile);
  const { back, left } = await putBack(asides);
  expect(readFileSync(path, "utf8")).toBe(after);
  const isBack = after === "command\n";
  expect([back, left]).toEqual(isBack ? [[change], []] : [[], asides]);
  if (isBack) expect(statSync(path).mode & 0o777).toBe(0o755);
});
