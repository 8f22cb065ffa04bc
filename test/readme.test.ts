/** The README describes every command, key and dependency. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { builtInCommands } from "../src/agent/slash-commands.ts";
import { buildKeyMap } from "../src/config/keys.ts";
import { commands } from "../src/ui/commands.ts";
import { dependencies } from "../package.json";

const readme = await Bun.file(join(import.meta.dir, "../README.md")).text();

test("every command is in the README, and every command of the README is there", () => {
  const all = [...commands, ...builtInCommands];
  const missing = all
    .map(({ name }) => name)
    .filter((name) => !new RegExp(`\`/${name}\\b`).test(readme));
  expect(missing).toEqual([]);
  const aliases = ["new", "resume", "quit"];
  const examples = ["path", "proc", "fix"];
  const known = new Set([...all.map(({ name }) => name), ...aliases, ...examples]);
  const mentioned = [...readme.matchAll(/`\/([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
  expect(mentioned.filter((name) => !known.has(name))).toEqual([]);
});

test("every dependency is explained", () => {
  expect(Object.keys(dependencies).filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test("the keys in the README are the defaults", () => {
  const { actionOf } = buildKeyMap({}).keys;
  for (const chord of ["ctrl+s", "ctrl+t", "ctrl+o", "ctrl+f", "ctrl+b", "ctrl+l", "f1"])
    expect(actionOf(chord)).toBeTruthy();
});
