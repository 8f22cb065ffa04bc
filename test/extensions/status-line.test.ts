/** Whose status line is shown, and what of its output. */

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folders, openServices } from "../app/services/open.ts";

const newFolders = folders("status-line");
const by = (command: string, more: object = {}) => ({
  statusLine: { type: "command", command },
  ...more,
});

const own = ".mini-claude/settings.json";
const user = ".claude/settings.json";
const outer = "work/project/.claude/settings.json";
const inner = "work/project/app/.claude/settings.json";

/** The lines in a folder of the project, with these settings by their path below the home folder. */
async function shown(files: Record<string, object>, args = ["--trust"]) {
  const { home, cwd } = newFolders();
  mkdirSync(join(cwd, ".git"));
  mkdirSync(join(cwd, "app"));
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]);
  const place = { home, cwd: join(cwd, "app"), args, files: Object.fromEntries(texts) };
  const { services, close } = await openServices(place);
  const lines = await services.statusLine({ at: "noon" }, new AbortController().signal);
  await close();
  return lines;
}

const off = { disableAllHooks: true };
const theirs = { [user]: by("echo user"), [outer]: by("echo outer"), [inner]: by("echo inner") };

test.each([
  ["one's own comes first", { ...theirs, [own]: by("echo own") }, "own"],
  ["then the inner folder's", theirs, "inner"],
  ["then the outer one's", { ...theirs, [inner]: by("echo inner", off) }, "outer"],
  ["all hooks are off", { ...theirs, [own]: by("echo own", off) }, null],
])("%s", async (_, files, line) => {
  expect(await shown(files)).toEqual(line === null ? null : [line]);
});

test("in a folder that is not trusted it is another agent's, unless that is off", async () => {
  expect(await shown(theirs, [])).toEqual(["user"]);
  expect(await shown({ ...theirs, [user]: by("echo user", off) }, [])).toBeNull();
});

test("it gets the state as JSON, and at most three lines are shown; none when it fails", async () => {
  const lines = await shown({ [own]: by("cat; echo; echo; echo 2; echo 3; echo 4") });
  expect(lines).toEqual(['{"at":"noon"}', "2", "3"]);
  expect(await shown({ [own]: by("echo 1; exit 1") })).toEqual([]);
});
