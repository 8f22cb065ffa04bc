import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { defaultSettings, type Settings } from "../../../src/config/settings.ts";
import { settingSources, type SettingSource } from "../../../src/config/flags.ts";
import { readHooks } from "../../../src/extensions/hooks/settings.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("hook-settings");

async function write(path: string, value: unknown): Promise<string> {
  const file = join(base, path);
  await Bun.write(file, JSON.stringify(value));
  return file;
}

const hooks = (name: string) => ({ Stop: [{ hooks: [{ type: "command", command: name }] }] });
const user = await write("home/.claude/settings.json", { hooks: hooks("user") });
const root = join(base, "project");
const folder = join(root, "app");
await write("project/.claude/settings.json", { hooks: hooks("outer") });
await write("project/app/.claude/settings.local.json", { hooks: hooks("inner") });
await write("project/app/.mini-claude/settings.json", {
  hooks: hooks("off"),
  disableAllHooks: true,
});

const own = { ...defaultSettings, hooks: hooks("own") };

const read = async ({
  sources = settingSources,
  settings = own,
  paths = { settings: "/own.json", foreignSettings: [user] },
  project = { root, folder, isTrusted: true },
}: {
  sources?: readonly SettingSource[];
  settings?: Settings;
  paths?: { settings: string; foreignSettings: string[] };
  project?: { root: string; folder: string; isTrusted: boolean };
} = {}) => {
  const found = await readHooks({ flags: { sources }, settings, paths, project });
  return { ...found, commands: found.hooks.map(({ command }) => command) };
};

test("the user's hooks come first, then those of the project from its root inwards", async () => {
  const found = await read();
  expect(found.hooks.map(({ source, folder: at, isProject }) => [source, at, isProject])).toEqual([
    ["/own.json", root, false],
    [user, root, false],
    [join(root, ".claude/settings.json"), root, true],
    [join(folder, ".claude/settings.local.json"), folder, true],
  ]);
  expect(found.commands).toEqual(["own", "user", "outer", "inner"]);
});

test("in the user's home nothing is read twice", async () => {
  const home = join(base, "home");
  const settings = await write("home/.mini-claude/settings.json", { hooks: hooks("own") });
  const paths = { settings, foreignSettings: [user] };
  const project = { root: home, folder: home, isTrusted: true };
  expect((await read({ paths, project })).commands).toEqual(["own", "user"]);
});

test("the user can switch all hooks off, a project only its own", async () => {
  const off = await write("off/settings.json", { hooks: hooks("off"), disableAllHooks: true });
  const paths = { settings: "/own.json", foreignSettings: [off] };
  expect((await read({ paths })).hooks).toEqual([]);
});

test("an invalid settings file has no hooks, and a link out of the project is not followed", async () => {
  const broken = join(base, "broken.json");
  await Bun.write(broken, "{");
  const other = join(base, "other");
  await mkdir(join(other, ".claude"), { recursive: true });
  await symlink(user, join(other, ".claude/settings.json"));
  const found = await read({
    settings: defaultSettings,
    paths: { settings: "/own.json", foreignSettings: [broken, join(base, "missing.json")] },
    project: { root: other, folder: other, isTrusted: true },
  });
  expect(found).toMatchObject({ hooks: [], problems: [] });
});

test("the hooks of a session are those of the sources that are read", async () => {
  expect((await read({ sources: ["user"] })).commands).toEqual(["own", "user"]);
  expect((await read({ sources: ["project"] })).commands).toEqual(["own", "outer"]);
  expect((await read({ sources: ["local"] })).commands).toEqual(["own", "inner"]);
  const project = { root, folder, isTrusted: false };
  expect((await read({ project })).commands).toEqual(["own", "user"]);
});

test("the setting disableAllHooks holds for all; what cannot be used is reported", async () => {
  const off = { ...own, disableAllHooks: true };
  expect(await read({ settings: off })).toMatchObject({ hooks: [], problems: [] });
  const wrong = { ...defaultSettings, hooks: { WorldEnd: [] } };
  const { commands, problems } = await read({ settings: wrong, sources: [] });
  expect(commands).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("there is no hook event “WorldEnd”")]);
  expect(await read({ settings: defaultSettings, sources: [] })).toMatchObject({ problems: [] });
});
