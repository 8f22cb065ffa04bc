/** Commands, skills and agents of files: which there are, what they send, and what the model is told of them. */

import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { settingSources, type SettingSource } from "../../../src/config/flags.ts";
import { findSubagents, PromptFiles } from "../../../src/extensions/commands/prompt-files.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("prompt-files");

type Changes = { sources?: readonly SettingSource[]; isTrusted?: boolean };

/** Files below a folder with a `home`, an `own` folder of ours, and a `project`, which is opened at `project/app`. */
async function place(files: Record<string, string>) {
  const top = mkdtempSync(join(base, "place-"));
  const [home, root] = [join(top, "home"), join(top, "project")];
  const [own, cwd] = [join(top, "own"), join(root, "app")];
  for (const [path, text] of Object.entries(files)) await Bun.write(join(top, path), text);
  const project = { root, cwd, homes: { home, own, results: join(own, "results") } };
  const open = ({ sources = settingSources, isTrusted = true }: Changes = {}) =>
    new PromptFiles({
      flags: { sources },
      paths: { root: own },
      env: { HOME: home },
      cwd,
      project: isTrusted ? project : null,
      modelNamed: (name) => (name === "opus" ? "claude-opus-5-5" : null),
    });
  return {
    top,
    project,
    open,
    names: async (changes?: Changes) => names(await open(changes).list()),
  };
}

const names = (files: readonly { name: string }[]) => files.map(({ name }) => name);

/** A command with this text. */
const command = async (text: string) =>
  (await place({ "home/.claude/commands/c.md": text })).open();

/** The prompt of a command, with its shell commands in angle brackets. */
async function expanded(body: string, words: string): Promise<string> {
  const { parts = [] } = (await (await command(body)).command("c", words)) ?? {};
  return parts.map((part) => (part.kind === "text" ? part.text : `<${part.command}>`)).join("");
}

test("commands are named by their path; the project's and the inner folder's replace others", async () => {
  const { top, open, names } = await place({
    "home/.claude/commands/fix/issue.md": "mine",
    "home/.claude/commands/only.md": "only mine",
    "own/commands/own.md": "our folder",
    "shared/tips.md": "linked",
    "project/.claude/commands/fix/issue.md": "the project's",
    "project/.claude/commands/bad name.md": "unusable",
    "project/app/.mini-claude/commands/inner.md": "inner",
    "project/app/.claude/commands/empty.md": "---\ndescription: nothing else\n---\n",
  });
  const link = join(top, "project/.claude/commands/link.md");
  await symlink(join(top, "home/.claude/commands/only.md"), link);
  await symlink(join(top, "shared"), join(top, "home/.claude/commands/more"));
  expect(await names()).toEqual(["fix:issue", "inner", "more:tips", "only", "own"]);
  expect(await names({ isTrusted: false })).toEqual(["fix:issue", "more:tips", "only", "own"]);
  expect(await names({ sources: ["project"] })).toEqual(["fix:issue", "inner"]);
  expect(await open().command("fix:issue", "")).toMatchObject({
    parts: [{ kind: "text", text: "the project's" }],
    isProject: true,
    model: null,
  });
  expect(await open({ isTrusted: false }).command("fix:issue", "")).toMatchObject({
    parts: [{ kind: "text", text: "mine" }],
    isProject: false,
  });
  expect(await open().command("own", "")).toMatchObject({ isProject: false });
  expect(await open().command("missing", "")).toBeNull();
});

test("the fields of a command are read, even where they are not valid YAML", async () => {
  const { top, open } = await place({
    "home/.mini-claude/commands/fix.md":
      "---\ndescription: Fix it: now  \nargument-hint: [issue]\nallowed-tools: Bash(git add:*), Read\nmodel: opus\n---\nFix $0. !`git log` @till.ts @none.ts",
    "home/.mini-claude/commands/plain.md": "# Title  \nwords",
    "home/.mini-claude/commands/same.md": "\ufeff---\r\nmodel: inherit\r\n---\r\nx",
    "home/.mini-claude/commands/hidden.md": "---\nuser-invocable: false\n---\nNot for you.",
    "project/app/till.ts": "1",
  });
  expect(await open().list()).toMatchObject([
    { name: "fix", description: "Fix it: now", argumentHint: "[issue]" },
    { name: "plain", description: "Title" },
    { name: "same", description: "x" },
  ]);
  expect(await open().command("fix", "12")).toEqual({
    parts: [
      { kind: "text", text: "Fix 12. " },
      { kind: "shell", command: "git log" },
      { kind: "text", text: " @till.ts @none.ts" },
    ],
    files: [join(top, "project/app/till.ts")],
    allowedTools: ["Bash(git add:*)", "Read"],
    isProject: false,
    model: "claude-opus-5-5",
  });
  expect((await open().command("same", ""))?.model).toBeNull();
  expect(await open().command("hidden", "")).toBeNull();
});

test("arguments count from 0, may be quoted, and follow a text that names none", async () => {
  expect(await expanded("$0 and $1, all: $ARGUMENTS", 'a "b c"')).toBe('a and b c, all: a "b c"');
  expect(await expanded("$ARGUMENTS[1]$ARGUMENTS[7]", "a b")).toBe("b");
  expect(await expanded("$0|$1|$2|$3", `a 'b "c' "" d`)).toBe('a|b "c||d');
  expect(await expanded("Review.", "the diff")).toBe("Review.\n\nARGUMENTS: the diff");
  expect(await expanded("Review.", "")).toBe("Review.");
});

test("only the text of a command holds shell commands, its arguments do not", async () => {
  expect(await expanded("Diff: !`git diff $0`!", "main")).toBe("Diff: <git diff main>!");
  const only = await (await command("!`ls`")).command("c", "");
  expect(only?.parts).toEqual([{ kind: "shell", command: "ls" }]);
  expect(await expanded("Say $ARGUMENTS", "!`rm -rf .` $0")).toBe("Say !`rm -rf .` $0");
});

const skills = {
  "home/.mini-claude/skills/draw/SKILL.md":
    "---\ndescription: Draws\nallowed-tools: Write\n---\nDraw $ARGUMENTS with !`ls pens` in ${CLAUDE_SKILL_DIR}.",
  "home/.mini-claude/skills/odd[1]/SKILL.md": "---\nname: odd\n---\nOdd.",
  "home/.mini-claude/skills/quiet/SKILL.md":
    "---\ndescription: Quiet\ndisable-model-invocation: true\n---\nQuiet.",
  "home/.mini-claude/skills/draw/inner/SKILL.md": "---\ndescription: inner\n---\nx",
  "home/.mini-claude/skills/README.md": "---\ndescription: all\n---\nx",
  "project/.agents/skills/deploy/SKILL.md": "---\nname: ship\ndescription: Ship it\n---\nShip.",
};

test("a skill that the user runs says where it is, and its folder can be read", async () => {
  const { top, open, names } = await place(skills);
  const folder = join(top, "home/.mini-claude/skills/draw");
  expect(await names()).toEqual(["draw", "odd", "quiet", "ship"]);
  const skill = await open().command("draw", "a cat");
  expect(skill?.parts).toEqual([
    { kind: "text", text: `Folder of this skill: ${folder}\n\n` },
    { kind: "text", text: "Draw a cat with " },
    { kind: "shell", command: "ls pens" },
    { kind: "text", text: ` in ${folder}.` },
  ]);
  expect(skill?.allowedTools).toEqual(["Write", `Read(/${folder}/**)`]);
  // A project's skill may name any folder, and the brackets in this name would be a pattern.
  expect((await open().command("ship", ""))?.allowedTools).toEqual([]);
  expect((await open().command("odd", ""))?.allowedTools).toEqual([]);
});

test("a skill that the model loads runs nothing; some are not for the model", async () => {
  const { top, open } = await place({ ...skills, "home/.claude/commands/fix.md": "Fix." });
  const folder = join(top, "home/.mini-claude/skills/draw");
  expect(await open().loadSkill("draw", "a cat")).toEqual({
    text: `Draw a cat with \`ls pens\` in ${folder}.`,
    folder,
  });
  expect(await open().loadSkill("quiet", "")).toBeNull();
  expect(await open().loadSkill("fix", "")).toBeNull();
});

const told = async (of: PromptFiles) =>
  (await of.skillLines()).flatMap(({ content }) => blockText(content).split("\n").slice(1));

test("the model is told of skills in a line each, within a budget", async () => {
  expect(await told((await place(skills)).open())).toEqual([
    "- draw: Draws",
    "- odd: Odd.",
    "- ship: Ship it",
  ]);
  expect(await (await place({})).open().skillLines()).toEqual([]);
  const many = Array.from({ length: 200 }, (_, n) => [
    `home/.claude/skills/s${n}/SKILL.md`,
    `---\ndescription: ${"d".repeat(900)}\n---\nx`,
  ]);
  const lines = await told((await place(Object.fromEntries(many))).open());
  expect(lines.slice(0, -1)).toHaveLength(16);
  expect(lines.slice(0, -1).join("").length).toBe(4_000);
  expect(lines.at(-1)).toStartWith("Others: s");
});

test("agents are those of the user and of a trusted project, whose own come last", async () => {
  const { top, project } = await place({
    "home/.claude/agents/look.md": "---\ndescription: mine\n---\nLook.",
    "home/.claude/agents/review.md": "---\ndescription: reviews\nmodel: inherit\n---\nReview.",
    "project/.claude/agents/look.md":
      "---\nname: look\ndescription: theirs\ntools: [Read, 5, Grep]\nmodel: haiku\n---\nLook well.",
    "project/.mini-claude/agents/mute.md": "---\nname: mute\n---\nNo description.",
    "project/.mini-claude/agents/empty.md": "---\ndescription: says nothing\n---\n",
    "project/.mini-claude/agents/bad name.md": "---\ndescription: d\n---\ntext",
    "project/.mini-claude/agents/notes.txt": "---\ndescription: d\n---\ntext",
    "elsewhere.md": "---\ndescription: a secret\n---\ntext",
  });
  const link = join(top, "project/.mini-claude/agents/link.md");
  await symlink(join(top, "elsewhere.md"), link);
  const own = [join(top, "home/.claude/agents")];
  const [look, review, ...others] = await findSubagents(own, project);
  const more = { readsOnly: false, model: null };
  const tools = ["Read", "Grep"];
  const theirs = { name: "look", description: "theirs", prompt: "Look well.", tools };
  expect(look).toEqual({ ...theirs, ...more, model: "haiku" });
  const mine = { name: "review", description: "reviews", prompt: "Review.", tools: null };
  expect([review, others]).toEqual([{ ...mine, ...more }, []]);
  expect((await findSubagents(own, null))[0]).toMatchObject({ description: "mine" });
});
