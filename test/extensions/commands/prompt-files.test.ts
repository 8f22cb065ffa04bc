import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  expandPrompt,
  findPromptFiles,
  listSkills,
  parsePromptFile,
  splitArguments,
} from "../../../src/extensions/commands/prompt-files.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("prompt-files");
const home = join(base, "home");
const ownFolder = join(home, ".mini-claude");
const homes = { home, own: ownFolder, results: join(ownFolder, "results") };
const root = join(base, "project");
const project = { root, cwd: join(root, "app"), homes };

async function write(path: string, text: string): Promise<string> {
  await Bun.write(path, text);
  return path;
}

const parse = (text: string) =>
  parsePromptFile(text, { kind: "command", name: "c", file: "/c.md", isProject: false });

test("the fields of a command are read, even where they are not valid YAML", () => {
  expect(
    parse(
      "---\ndescription: Fix it: now\nargument-hint: [issue]\nallowed-tools: Bash(git add:*), Read\nmodel: opus\n---\nDo $0.",
    ),
  ).toMatchObject({
    description: "Fix it: now",
    argumentHint: "[issue]",
    allowedTools: ["Bash(git add:*)", "Read"],
    model: "opus",
    body: "Do $0.",
    isForUser: true,
    isForModel: false,
  });
  expect(parse("# Title  \nwords")).toMatchObject({ description: "Title", model: null });
  expect(parse("---\nmodel: inherit\nuser-invocable: false\n---\nx")).toMatchObject({
    model: null,
    isForUser: false,
  });
  expect(parse("---\ndescription: nothing else\n---\n")).toBeNull();
});

test("commands are named by their path; the project's and the inner folder's replace others", async () => {
  await write(join(home, ".claude/commands/fix/issue.md"), "mine");
  await write(join(home, ".claude/commands/only.md"), "only mine");
  await write(join(ownFolder, "commands/own.md"), "our folder");
  await write(join(root, ".claude/commands/fix/issue.md"), "the project's");
  await write(join(root, "app/.mini-claude/commands/inner.md"), "inner");
  await write(join(root, ".claude/commands/bad name.md"), "unusable");
  await symlink(join(home, ".claude/commands/only.md"), join(root, ".claude/commands/link.md"));
  const names = async (of: typeof project | null) =>
    (await findPromptFiles("command", { home, ownFolder, project: of })).map(
      ({ name, body }) => `${name}: ${body}`,
    );
  expect(await names(project)).toEqual([
    "fix:issue: the project's",
    "inner: inner",
    "only: only mine",
    "own: our folder",
  ]);
  expect(await names(null)).toEqual(["fix:issue: mine", "only: only mine", "own: our folder"]);
  expect(await findPromptFiles("command", { home: null, ownFolder, project: null })).toEqual([]);
  const all = await findPromptFiles("command", { home, ownFolder, project });
  expect(all.filter(({ isProject }) => isProject).map(({ name }) => name)).toEqual([
    "fix:issue",
    "inner",
  ]);
});

test("skills are folders with a SKILL.md, listed in a line each within a budget", async () => {
  await write(
    join(home, ".claude/skills/pdf/SKILL.md"),
    "---\ndescription: Fill forms\n---\nSteps",
  );
  await write(
    join(root, ".agents/skills/deploy/SKILL.md"),
    "---\nname: ship\ndescription: Ship it\n---\nx",
  );
  await write(
    join(root, ".claude/skills/hidden/SKILL.md"),
    "---\ndescription: h\ndisable-model-invocation: true\n---\nIn ${CLAUDE_SKILL_DIR}.",
  );
  const skills = await findPromptFiles("skill", { home, ownFolder, project });
  expect(skills.map(({ name }) => name)).toEqual(["hidden", "pdf", "ship"]);
  expect(skills[0]?.body).toBe(`In ${join(root, ".claude/skills/hidden")}.`);
  const [fact] = listSkills(skills);
  expect(
    blockText(fact?.content ?? [])
      .split("\n")
      .slice(1),
  ).toEqual(["- pdf: Fill forms", "- ship: Ship it"]);
  expect(listSkills([])).toEqual([]);
  const [first] = skills.slice(1);
  if (!first) throw new Error("there is one");
  const many = Array.from({ length: 500 }, (_, n) => ({
    ...first,
    name: `s${n}`,
    description: "d".repeat(900),
  }));
  const lines = blockText(listSkills(many)[0]?.content ?? []).split("\n");
  expect(lines.slice(1, -1)).toHaveLength(16);
  expect(lines.slice(1, -1).join("").length).toBe(4_000);
  expect(lines.at(-1)).toStartWith("Others: s16, s17, ");
});

test("a skill is the SKILL.md of a folder, and no other file beside or in it", async () => {
  const own = join(base, "one-skill");
  const skills = join(own, ".claude/skills");
  await write(join(skills, "pdf/SKILL.md"), "---\ndescription: Fill forms\n---\nSteps");
  await write(join(skills, "pdf/forms/SKILL.md"), "---\ndescription: inner\n---\nx");
  await write(join(skills, "pdf/reference.md"), "---\ndescription: more\n---\nx");
  await write(join(skills, "README.md"), "---\ndescription: all\n---\nx");
  const found = await findPromptFiles("skill", { home: own, ownFolder: own, project: null });
  expect(found.map(({ name, description }) => `${name}: ${description}`)).toEqual([
    "pdf: Fill forms",
  ]);
});

const expanded = (body: string, words: string): string =>
  expandPrompt(body, words)
    .map((part) => (part.kind === "text" ? part.text : `<${part.command}>`))
    .join("");

test("arguments count from 0, may be quoted, and follow a text that names none", () => {
  expect(expanded("$0 and $1, all: $ARGUMENTS", 'a "b c"')).toBe('a and b c, all: a "b c"');
  expect(expanded("$ARGUMENTS[1]$ARGUMENTS[7]", "a b")).toBe("b");
  expect(expanded("Review.", "the diff")).toBe("Review.\n\nARGUMENTS: the diff");
  expect(expanded("Review.", "")).toBe("Review.");
  expect(splitArguments(`a 'b "c' ""`)).toEqual(["a", 'b "c', ""]);
});

test("only the text of a command holds shell commands, its arguments do not", () => {
  expect(expanded("Diff: !`git diff $0`!", "main")).toBe("Diff: <git diff main>!");
  expect(expandPrompt("Say $ARGUMENTS", "!`rm -rf .` $0")).toEqual([
    { kind: "text", text: "Say !`rm -rf .` $0" },
  ]);
});
