/** How much of a folder is read: the exact limits, and what happens beyond them. */

import { expect, test } from "bun:test";
import { mkdtemp, realpath } from "node:fs/promises";
import { join } from "node:path";
import { defaultSettings } from "../../../src/config/settings.ts";
import { readHooks } from "../../../src/extensions/hooks/settings.ts";
import {
  findInstructions,
  findImports,
  findRules,
} from "../../../src/extensions/instructions/instructions.ts";
import { readMemory } from "../../../src/extensions/instructions/memory.ts";
import { parsePromptFile } from "../../../src/extensions/commands/prompt-files.ts";
import { findSubagents } from "../../../src/extensions/agents.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("limits");

async function write(path: string, text: string): Promise<string> {
  const file = join(base, path);
  await Bun.write(file, text);
  return file;
}

test("reads at most 40,000 bytes of an instructions file", async () => {
  const readTexts = async (bytes: number): Promise<string> => {
    const file = await write(`instructions-${bytes}.md`, "x".repeat(bytes));
    const { facts } = await findInstructions({ own: [file], project: null, home: base });
    return blockText(facts[0]?.content ?? []);
  };
  expect(await readTexts(40_000)).toBe("x".repeat(40_000));
  expect(await readTexts(40_001)).toBe(
    `${"x".repeat(40_000)}\n[1 more bytes in ${join(base, "instructions-40001.md")}]`,
  );
});

test("reads at most 8,000 characters of notes", async () => {
  const shown = async (chars: number): Promise<string> => {
    const file = await write("notes.md", "x".repeat(chars));
    return blockText((await readMemory([file]))[0]?.content ?? []);
  };
  expect(await shown(8_000)).toEndWith(`\n${"x".repeat(8_000)}`);
  expect(await shown(8_000)).not.toContain("older notes");
  expect(await shown(8_001)).toContain("[older notes are in ");
});

test("follows at most 50 imports of a file, each once", () => {
  const names = Array.from({ length: 60 }, (_, n) => `@${n}.md`);
  const paths = findImports([...names, ...names].join(" "), "/w/a.md", "/home");
  expect(paths).toHaveLength(50);
  expect(paths.at(-1)).toBe("/w/49.md");
});

test("finds at most 500 rules in a folder, the first by name", async () => {
  for (let n = 1_000; n < 1_501; n++) await write(`many/${n}.md`, `Rule ${n}.`);
  const homes = { home: base, own: join(base, "own"), results: join(base, "results") };
  const rules = await findRules([join(base, "many")], { root: base, cwd: base, homes });
  expect(rules).toHaveLength(500);
});

test("finds at most 100 subagents in a folder, of at most 40,000 bytes each", async () => {
  const text = "---\ndescription: d\n---\n";
  for (let n = 1_000; n < 1_101; n++) await write(`agents/a${n}.md`, `${text}Words.`);
  const found = await findSubagents([join(base, "agents")], null);
  expect(found.map(({ name }) => name).at(-1)).toBe("a1099");
  expect(found).toHaveLength(100);
  await write("long/long.md", `${text}${"x".repeat(50_000)}`);
  const [long] = await findSubagents([join(base, "long")], null);
  expect(long?.prompt).toHaveLength(40_000 - text.length);
});

test("ignores fields that are too long", () => {
  const parse = (field: string, chars: number) =>
    parsePromptFile(`---\n${field}: ${"x".repeat(chars)}\n---\nWords.`, {
      kind: "command",
      name: "c",
      file: "/c.md",
      isProject: false,
    });
  expect(parse("model", 200)?.model).toHaveLength(200);
  expect(parse("model", 201)?.model).toBeNull();
  expect(parse("description", 2_000)?.description).toHaveLength(2_000);
  expect(parse("description", 2_001)?.description).toBe("Words.");
});

test("reads at most 50 patterns of a rule, of at most 200 characters each", async () => {
  const project = await realpath(await mkdtemp(join(base, "project-")));
  const homes = { home: base, own: join(base, "own"), results: join(base, "results") };
  const matches = async (patterns: string[], path: string): Promise<boolean | undefined> => {
    const rule = `---\npaths: ${JSON.stringify(patterns)}\n---\nWords.`;
    await Bun.write(join(project, ".claude/rules/a.md"), rule);
    const [found] = await findRules([], { root: project, cwd: project, homes });
    return found?.matches?.(join(project, path));
  };
  const many = Array.from({ length: 51 }, (_, n) => `${n}.ts`);
  expect([await matches(many, "49.ts"), await matches(many, "50.ts")]).toEqual([true, false]);
  const long = "x".repeat(200);
  expect([await matches([long], long), await matches([`${long}x`], `${long}x`)]).toEqual([
    true,
    false,
  ]);
});

test("reads hooks of settings files up to 256 KB", async () => {
  const has = async (bytes: number): Promise<boolean> => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    const settings = JSON.stringify({ hooks });
    const file = await write("settings.json", settings + " ".repeat(bytes - settings.length));
    const found = await readHooks({
      flags: { sources: ["user"] },
      settings: defaultSettings,
      paths: { settings: "/own.json", foreignSettings: [file] },
      project: { root: base, folder: base, isTrusted: false },
    });
    return found.hooks.length > 0;
  };
  expect([await has(256 * 1024), await has(256 * 1024 + 1)]).toEqual([true, false]);
});
