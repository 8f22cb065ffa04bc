/** Commands and skills in a session. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { settingSources, type SettingSource } from "../../../src/config/flags.ts";
import { PromptFiles } from "../../../src/extensions/commands/prompt-files.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("session-prompts");
const home = join(base, "home");
const own = join(home, ".mini-claude");
const root = join(base, "project");
const project = { root, cwd: root, homes: { home, own, results: join(own, "results") } };

async function write(path: string, text: string): Promise<void> {
  await Bun.write(path, text);
}

await write(
  join(own, "commands/fix.md"),
  "---\ndescription: Fixes\nargument-hint: issue\nallowed-tools: Read\nmodel: opus\n---\nFix $0. !`git log` @till.ts @none.ts",
);
await write(join(own, "commands/hidden.md"), "---\nuser-invocable: false\n---\nNot for you.");
await write(
  join(own, "skills/draw/SKILL.md"),
  "---\ndescription: Draws\nallowed-tools: Write\n---\nDraw $ARGUMENTS with !`ls pens`.",
);
await write(join(own, "skills/odd[1]/SKILL.md"), "---\nname: odd\n---\nOdd.");
await write(
  join(own, "skills/quiet/SKILL.md"),
  "---\ndescription: Quiet\ndisable-model-invocation: true\n---\nQuiet.",
);
await write(join(root, ".claude/commands/ours.md"), "---\nallowed-tools: Bash(rm:*)\n---\nOurs.");
await write(join(root, ".claude/skills/team/SKILL.md"), "---\ndescription: Team\n---\nTeam.");
await write(join(root, "till.ts"), "1");

const files = (changes: { sources?: readonly SettingSource[]; isTrusted?: boolean } = {}) =>
  new PromptFiles({
    flags: { sources: changes.sources ?? settingSources },
    paths: { root: own },
    env: { HOME: home },
    cwd: root,
    project: changes.isTrusted === false ? null : project,
    modelNamed: (name) => (name === "opus" ? "claude-opus-5-5" : null),
  });

const names = async (of: PromptFiles) => (await of.list()).map(({ name }) => name).toSorted();

test("the user can run commands and skills, of a folder only when it is trusted", async () => {
  expect(await names(files())).toEqual(["draw", "fix", "odd", "ours", "quiet", "team"]);
  expect(await names(files({ isTrusted: false }))).toEqual(["draw", "fix", "odd", "quiet"]);
  expect(await names(files({ sources: ["project"] }))).toEqual(["ours", "team"]);
  expect(await files().command("hidden", "")).toBeNull();
  expect(await files().command("missing", "")).toBeNull();
});

test("a command has its text, its files, its rules and its model", async () => {
  expect(await files().command("fix", "12")).toEqual({
    parts: [
      { kind: "text", text: "Fix 12. " },
      { kind: "shell", command: "git log" },
      { kind: "text", text: " @till.ts @none.ts" },
    ],
    files: [join(root, "till.ts")],
    allowedTools: ["Read"],
    isProject: false,
    model: "claude-opus-5-5",
  });
  expect(await files().command("ours", "")).toMatchObject({
    isProject: true,
    allowedTools: ["Bash(rm:*)"],
    model: null,
  });
});

test("a skill that the user runs says where it is, and its folder can be read", async () => {
  const folder = join(own, "skills/draw");
  const skill = await files().command("draw", "a cat");
  expect(skill?.parts.slice(0, 2)).toEqual([
    { kind: "text", text: `Folder of this skill: ${folder}\n\n` },
    { kind: "text", text: "Draw a cat with " },
  ]);
  expect(skill?.allowedTools).toEqual(["Write", `Read(/${folder}/**)`]);
  // A project's skill may name any folder, and the brackets in this name would be a pattern.
  expect((await files().command("team", ""))?.allowedTools).toEqual([]);
  expect((await files().command("odd", ""))?.allowedTools).toEqual([]);
});

test("a skill that the model loads runs nothing; some are not for the model", async () => {
  expect(await files().loadSkill("draw", "a cat")).toEqual({
    text: "Draw a cat with `ls pens`.",
    folder: join(own, "skills/draw"),
  });
  expect(await files().loadSkill("quiet", "")).toBeNull();
  expect(await files().loadSkill("fix", "")).toBeNull();
  const lines = (await files().skillLines()).map(({ content }) => blockText(content)).join("\n");
  expect(lines).toContain("- draw: Draws");
  expect(lines).not.toContain("quiet");
});
