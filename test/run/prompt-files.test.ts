/** Commands and skills in files, run by the real program against the strict fake API. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import type { Sandbox } from "../bin.ts";
import { realProgram } from "./real-program.ts";

const { api, env, boxWith } = realProgram("prompt-files");
let calls = 0;
const uses = (name: string, input: object) => [call(name, input, `t${++calls}`)];

const ask = (box: Sandbox, prompt: string, ...flags: string[]) =>
  box.run(["-p", ...flags, prompt], { env });
const sent = (): string => JSON.stringify(api.bodies.at(-1)?.messages);

test("a command sends its text with arguments, output of commands and files", async () => {
  const box = await boxWith({
    "project/.claude/commands/fix/issue.md":
      "---\ndescription: Fix\n---\nFix issue $0.\nFiles: !`ls docs` See @docs/style.md",
    "project/docs/style.md": "Use tabs.",
  });
  api.next(say("ok"));
  const { code } = await ask(box, "/fix:issue 12", "--trust");
  expect(code).toBe(0);
  expect(sent()).toContain("/fix:issue 12\\n\\nFix issue 12.\\nFiles: style.md See @docs/style.md");
  expect(sent()).toContain("Use tabs.");
  api.next(say("ok"));
  const { err } = await ask(box, "/fix:issue 12");
  expect(err).toContain("Not used, because this folder is not trusted: .claude/commands.");
  expect(sent()).toContain('"/fix:issue 12"');
  expect(sent()).not.toContain("Fix issue");
});

test("a shell command that needs approval does not run without it", async () => {
  const box = await boxWith({ "project/.claude/commands/go.md": "Now: !`touch made`" });
  api.next(say("ok"));
  await ask(box, "/go", "--trust");
  expect(await Bun.file(join(box.project, "made")).exists()).toBe(false);
  expect(sent()).toContain("(not run:");
});

test("allowed-tools of the user's command hold for its turn; the project's need approval", async () => {
  const command = "---\nallowed-tools: Bash(touch:*)\n---\nMake it. !`touch first`";
  const mine = await boxWith({ "home/.claude/commands/make.md": command });
  api.next(uses("Bash", { command: "touch second" }), say("ok"));
  await ask(mine, "/make");
  for (const name of ["first", "second"])
    expect(await Bun.file(join(mine.project, name)).exists()).toBe(true);
  api.next(uses("Bash", { command: "touch third" }), say("ok"));
  await ask(mine, "touch third", "--continue");
  expect(await Bun.file(join(mine.project, "third")).exists()).toBe(false);

  const theirs = await boxWith({ "project/.claude/commands/make.md": command });
  api.next(uses("Bash", { command: "touch second" }), say("ok"));
  const { err } = await ask(theirs, "/make", "--trust");
  expect(err).toContain("/make wants to use these tools without asking");
  for (const name of ["first", "second"])
    expect(await Bun.file(join(theirs.project, name)).exists()).toBe(false);
});

test("a task that the model gives to a subagent is not a command", async () => {
  const box = await boxWith({
    "home/.claude/commands/make.md": "---\nallowed-tools: Bash\n---\nMake it.",
  });
  const task = { description: "make", prompt: "/make" };
  api.next(uses("Agent", task), say("made"), say("ok"));
  await ask(box, "go");
  const child = api.bodies.at(-2);
  expect(JSON.stringify(child?.messages.at(-1))).toContain('"/make"');
});

test("a command may choose the model of its turn", async () => {
  const box = await boxWith({
    "home/.mini-claude/commands/quick.md": "---\nmodel: claude-haiku-5-5\n---\nBe quick.",
  });
  api.next(say("ok"), say("ok"));
  await ask(box, "/quick");
  await ask(box, "and now?", "--continue");
  expect(api.bodies.slice(-2).map(({ model }) => model)).toEqual([
    "claude-haiku-5-5",
    "claude-sonnet-5-5",
  ]);
});

test("skills are listed in a line each, loaded by the model, and run with a slash", async () => {
  const box = await boxWith({
    "project/.claude/skills/pdf/SKILL.md":
      "---\nname: pdf\ndescription: Fill in forms\n---\nOpen the form with $ARGUMENTS.",
    "home/.claude/skills/mail/SKILL.md": "---\ndescription: Write mail\n---\nBe polite.",
  });
  await Bun.write(join(box.root, "home/.claude/skills/mail/tone.md"), "Warmly.");
  api.next(uses("Skill", { skill: "pdf", args: "qpdf" }), say("ok"));
  await ask(box, "fill it in", "--trust");
  expect(sent()).toContain("- mail: Write mail\\n- pdf: Fill in forms");
  expect(sent()).not.toContain("Be polite.");
  expect(sent()).toContain("Open the form with qpdf.");
  api.next(say("ok"));
  await ask(box, "/mail to Ann");
  expect(sent()).toContain("Be polite.\\n\\nARGUMENTS: to Ann");
  expect(sent()).not.toContain("pdf: Fill in forms");
  api.next(
    uses("Skill", { skill: "mail" }),
    uses("Read", { file_path: join(box.root, "home/.claude/skills/mail/tone.md") }),
    say("ok"),
  );
  await ask(box, "write to Ann");
  expect(sent()).toContain("Warmly.");
});
