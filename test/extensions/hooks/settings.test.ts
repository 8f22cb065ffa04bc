/** The hooks and the status line of settings files, and what of them cannot be used. */

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { folders, openServices } from "../../app/services/open.ts";
import { runInProcess } from "../../in-process.ts";

const newFolders = folders("hook-settings");

const hooks = (command: string, more: object = {}) => ({
  hooks: { Stop: [{ hooks: [{ type: "command", command }] }] },
  ...more,
});

const own = ".mini-claude/settings.json";
const user = ".claude/settings.json";
const outer = "work/project/.claude/settings.json";
const inner = "work/project/app/.claude/settings.local.json";
const everywhere = {
  [own]: hooks("own"),
  [user]: hooks("user"),
  [outer]: hooks("outer"),
  [inner]: hooks("inner"),
};

/** Opened in the folder `app` of a project, unless `cwd` is given, with these files below the home folder. */
async function open(files: Record<string, object>, args = ["--trust"], at = newFolders()) {
  const { home, cwd: root } = at;
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "app"), { recursive: true });
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]);
  const cwd = root === home ? home : join(root, "app");
  const one = await openServices({ home, cwd, args, files: Object.fromEntries(texts) });
  const listed = (await one.services.hooks()).filter(({ source }) => source !== "built-in");
  return { ...one, home, listed, names: listed.map(({ name }) => name) };
}

test("hooks of a project run from its root inwards, the user's after them", async () => {
  const { listed, home } = await open(everywhere);
  expect(listed.map(({ source, name }) => [source, name])).toEqual([
    [join(home, outer), "outer"],
    [join(home, inner), "inner"],
    [join(home, own), "own"],
    [join(home, user), "user"],
  ]);
});

test.each([
  [
    ["--trust", "--setting-sources=user"],
    ["own", "user"],
  ],
  [["--trust", "--setting-sources=project"], ["outer"]],
  [["--trust", "--setting-sources=local"], ["inner"]],
  [[], ["own", "user"]],
])("with %j they are %j", async (args, names) => {
  expect((await open(everywhere, args)).names).toEqual(names);
});

test("in the user's home nothing is read twice", async () => {
  const { home } = newFolders();
  const files = { [own]: hooks("own"), [user]: hooks("user") };
  expect((await open(files, ["--trust"], { home, cwd: home })).names).toEqual(["own", "user"]);
});

test("the user can switch all hooks off, a project only its own", async () => {
  const named = async (path: string) =>
    (await open({ ...everywhere, [path]: hooks("off", off) })).names;
  expect(await named(own)).toEqual([]);
  expect(await named(user)).toEqual([]);
  expect(await named(outer)).toEqual(["inner", "own", "user"]);
});

test("a file that is no settings has no hooks, and a link out of the project is not followed", async () => {
  const at = newFolders();
  mkdirSync(join(at.cwd, ".claude"), { recursive: true });
  symlinkSync(join(at.home, own), join(at.cwd, ".claude/settings.json"));
  expect((await open({ [own]: hooks("own"), [user]: [] }, ["--trust"], at)).names).toEqual(["own"]);
});

test("matcher, timeout, background and the folder of the file are used", async () => {
  const path = "work/project/app/.mini-claude/settings.json";
  const command = 'echo "in $CLAUDE_PROJECT_DIR" >&2; exit 2';
  const groups = [
    { matcher: "Edit|Write", hooks: [{ type: "command", command: "echo late >&2; exit 2" }] },
    { hooks: [{ type: "command", command: "exit 2", async: true }] },
    { hooks: [{ type: "command", command: "sleep 600", timeout: 0.01 }] },
    { matcher: "Bash", hooks: [{ type: "command", command }] },
  ];
  const { run, home } = await open({ [path]: { hooks: { PreToolUse: groups } } });
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
  const { block, messages } = await run.hooks.run("PreToolUse", call, {
    signal: new AbortController().signal,
  });
  expect(block).toBe(`in ${join(home, "work/project/app")}`);
  expect(messages).toEqual([expect.stringContaining("it was stopped after 0.01 s")]);
});

test("an unknown event, another type and a wrong matcher are ignored and named", async () => {
  const { home, cwd } = newFolders();
  const command = { type: "command", command: "true" };
  const wrong = {
    ToolUse: [{ hooks: [command] }],
    Stop: [{ hooks: [{ type: "agent", prompt: "Are you done?" }, { type: "prompt" }] }],
    PreToolUse: [{ matcher: "(", hooks: [command] }],
    SessionEnd: [{ hooks: [command] }],
    SessionStart: { hooks: [] },
  };
  const file = join(home, user);
  await Bun.write(file, JSON.stringify({ hooks: wrong }));
  const place = { env: { HOME: home, PATH: process.env["PATH"] ?? "" }, project: cwd };
  const { out } = await runInProcess(place, ["doctor"]);
  for (const words of [
    "there is no hook event “ToolUse”; its hooks never run.",
    "hooks of type “agent” cannot run here; those of Stop are ignored.",
    "hooks of type “prompt” cannot run here; those of Stop are ignored.",
    "the matcher “(” of PreToolUse is not a valid regular expression; it is ignored.",
    "the hooks of “SessionStart” are malformed; they are ignored.",
  ])
    expect(out).toContain(`${file}: ${words}`);
  expect(out).toMatch(/^ok +Hooks +1 command/m);
});

const line = (command: string, more: object = {}) => ({
  statusLine: { type: "command", command },
  ...more,
});
const off = { disableAllHooks: true };
const lines = {
  [user]: line("echo user"),
  [outer]: line("echo outer"),
  [inner]: line("echo inner"),
};

const shown = async (files: Record<string, object>, args?: string[]) => {
  const { services } = await open(files, args);
  return services.statusLine({ at: "noon" }, new AbortController().signal);
};

test.each([
  ["one's own comes first", { ...lines, [own]: line("echo own") }, "own"],
  ["then the inner folder's", lines, "inner"],
  ["then the outer one's", { ...lines, [inner]: line("echo inner", off) }, "outer"],
  ["none, if the user switched all hooks off", { ...lines, [own]: line("echo own", off) }, null],
])("of status lines %s", async (_, files, text) => {
  expect(await shown(files)).toEqual(text === null ? null : [text]);
});

test("in a folder that is not trusted it is another agent's, unless that is off", async () => {
  expect(await shown(lines, [])).toEqual(["user"]);
  expect(await shown({ ...lines, [user]: line("echo user", off) }, [])).toBeNull();
});

test("it gets the state as JSON, and at most three lines are shown; none when it fails", async () => {
  // The user's own is not confined.
  const home = 'echo > "$HOME/x"; ls "$HOME" | grep x';
  const said = await shown({ [own]: line(`cat; echo; echo; ${home}; echo 3; echo 4`) });
  expect(said).toEqual(['{"at":"noon"}', "x", "3"]);
  expect(await shown({ [own]: line("echo 1; exit 1") })).toEqual([]);
});
