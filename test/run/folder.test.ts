/** What of the user's and of the opened folder reaches a run: hooks, instructions, commands, skills. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer as UserAnswer } from "../../src/protocol/command.ts";
import type { AgentEvent, Ask } from "../../src/protocol/event.ts";
import { call, say, toBlocks, type Answer } from "../fake-api/index.ts";
import { openedRuns, prompt, task, turn } from "./opened.ts";

const runs = openedRuns("folder");

const does = (command: string) => [{ hooks: [{ type: "command", command }] }];
const withHooks = (hooks: object): string => JSON.stringify({ hooks });
const uses = (name: string, input: object) => ({ content: [call(name, input)] });
const bash = (command: string) => uses("Bash", { command });
const read = (file_path: string) => uses("Read", { file_path });
const sent = (): string => JSON.stringify(runs.sent()?.messages);
const isMade = (name: string): boolean => existsSync(join(runs.cwd, name));

type Options = { flags?: string[]; answers?: Answer[]; reply?: UserAnswer };

/** One turn of a run that is then closed. */
async function ask(
  text: string,
  { flags = ["--trust"], answers = [say("ok")], reply = { allow: false } }: Options = {},
) {
  const asked: Ask[] = [];
  const opened = await runs.open(flags, answers);
  const on = (event: AgentEvent): void => {
    if (event.type !== "ask") return;
    asked.push(event.ask);
    opened.send({ type: "answer", id: event.ask.id, answer: reply });
  };
  await turn(opened, prompt(text), on);
  await opened.close();
  const notes = opened.log.path.flatMap((entry) => (entry.type === "note" ? [entry.text] : []));
  return { asked, notes, notices: opened.notices.join("\n"), session: opened.log.session };
}

const resume = (session: string, more: Options = {}) => {
  return { ...more, flags: ["--trust", `--resume=${session}`] };
};

test("hooks of the user and of the trusted project run at every event, without keys", async () => {
  const record = 'cat >>"$CLAUDE_PROJECT_DIR/seen"; echo >>"$CLAUDE_PROJECT_DIR/seen"';
  const events = ["SessionStart", "TurnStart", "PreToolUse", "PostToolUse", "Stop", "TurnEnd"];
  await runs.write({
    "user/.claude/settings.json": withHooks({ SessionEnd: does(record) }),
    "user/.mini-claude/settings.json": withHooks({
      UserPromptSubmit: does(`${record}; env; echo "It is Monday."`),
    }),
    "project/.claude/settings.json": withHooks(
      Object.fromEntries(events.map((event) => [event, does(record)])),
    ),
  });
  const { notes } = await ask("go", { answers: [bash("ls"), say("done")] });
  // A hook that fails says why.
  expect(notes).toEqual([]);
  const lines = readFileSync(join(runs.cwd, "seen"), "utf8").split("\n").filter(Boolean);
  const seen = lines.map((line) => JSON.parse(line));
  expect(seen.map(({ hook_event_name }) => hook_event_name).join(" ")).toBe(
    "SessionStart UserPromptSubmit TurnStart PreToolUse PostToolUse Stop TurnEnd SessionEnd",
  );
  expect(seen[0]).toMatchObject({ source: "startup", cwd: runs.cwd, permission_mode: "default" });
  expect(seen[3]).toMatchObject({ tool_name: "Bash", tool_input: { command: "ls" } });
  expect(seen[4].tool_response).toMatchObject({ stdout: "seen", stderr: "", interrupted: false });
  expect(existsSync(seen[0].transcript_path)).toBe(true);
  for (const words of ["It is Monday.", "HOME="]) expect(sent()).toContain(words);
  expect(sent()).not.toContain("sk-ant-test");
});

test("hooks of a project that is not trusted, or not asked for, do not run", async () => {
  await runs.write({
    "user/.claude/settings.json": withHooks({ TurnStart: does("touch user") }),
    "project/.claude/settings.json": withHooks({ TurnStart: does("touch project") }),
    "project/.claude/settings.local.json": withHooks({ TurnStart: does("touch local") }),
  });
  const { notices } = await ask("go", { flags: ["--setting-sources=project"] });
  expect(notices).toContain("this folder is not trusted: .claude/settings.json (hooks)");
  // Nor may the model take notes.
  expect(runs.sent()?.tools?.map(({ name }) => name)).not.toContain("Remember");
  expect(["user", "project", "local"].map(isMade)).toEqual([false, false, false]);
  await ask("go", { flags: ["--trust", "--setting-sources=project"] });
  expect(["user", "project", "local"].map(isMade)).toEqual([false, true, false]);
});

test("hooks see the keys and the absolute paths that they expect, however the model wrote them", async () => {
  const refuse = 'grep -q "\\"file_path\\":\\"$CLAUDE_PROJECT_DIR/keep.txt\\"" && exit 2 || exit 0';
  await runs.write({ "project/.claude/settings.json": withHooks({ PreToolUse: does(refuse) }) });
  const write = (input: object) => uses("Write", { content: "x", ...input });
  const answers = [write({ path: "keep.txt" }), write({ file_path: "other.txt" }), say("done")];
  await ask("go", { answers, flags: ["--trust", "--permission-mode=accept-edits"] });
  expect([isMade("keep.txt"), isMade("other.txt")]).toEqual([false, true]);
});

test("a script that the user's own hook names is protected from the first call on, of subagents, too", async () => {
  await runs.write({
    "user/.mini-claude/settings.json": JSON.stringify({
      hooks: { Stop: does("sh check.sh") },
      statusLine: { type: "command", command: 'sh "$CLAUDE_PROJECT_DIR"/line.sh' },
    }),
    "project/.claude/settings.json": withHooks({ Stop: does("sh other.sh") }),
    "project/check.sh": "true\n",
    "project/line.sh": "true\n",
    "project/other.sh": "true\n",
  });
  const write = {
    content: ["> check.sh", "> line.sh", ">> other.sh", "> sh"].map((to) =>
      call("Bash", { command: `echo false ${to}` }),
    ),
  };
  const answers = [write, task("Change it."), write, say("changed"), say("done")];
  await ask("go", { answers, flags: ["--trust", "--permission-mode=auto"] });
  expect(readFileSync(join(runs.cwd, "other.sh"), "utf8")).toBe("true\nfalse\nfalse\n");
  expect(isMade("sh")).toBe(true);
  for (const name of ["check.sh", "line.sh"])
    expect(readFileSync(join(runs.cwd, name), "utf8")).toBe("true\n");
});

test("imports follow the file that names them; one from outside is asked about", async () => {
  await runs.write({
    "user/elsewhere.md": "from outside",
    "project/CLAUDE.md": "Read @docs/style.md and @~/elsewhere.md",
    "project/docs/style.md": "Use tabs.",
  });
  const { asked } = await ask("go");
  const texts = (runs.sent()?.messages ?? [])
    .flatMap(toBlocks)
    .map((block) => (block.type === "text" ? block.text : ""));
  const place = (words: string) => texts.findIndex((text) => text.includes(words));
  expect(place("Use tabs.")).toBe(place("Read @docs/style.md") + 1);
  expect(place("from outside")).toBe(-1);
  expect(asked).toMatchObject([{ title: expect.stringContaining("elsewhere.md") }]);
  await ask("go", { reply: { allow: true, scope: "once" } });
  expect(sent()).toContain("from outside");
});

test("instructions and rules for a file are appended once, when it is first read, in a trusted folder", async () => {
  await runs.write({
    "project/web/AGENTS.md": "Pages are in French.",
    "project/.claude/rules/web.md": '---\npaths: ["web/**"]\n---\nPages have titles.',
    "user/.mini-claude/rules/text.md": '---\npaths: ["web/**"]\n---\nUse rhymes.',
    "user/.claude/CLAUDE.md": "Write tests first.",
    "project/web/page.txt": "bonjour",
  });
  const answers = [read("web/page.txt"), read("web/page.txt"), say("ok")];
  const said = ["Write tests first.", "Pages are in French.", "Pages have titles.", "Use rhymes."];
  const count = (): number[] => said.map((words) => sent().split(words).length - 1);
  await ask("go", { answers: [...answers] });
  expect(count()).toEqual([1, 1, 1, 1]);
  expect(sent()).not.toContain("paths:");
  await ask("go", { answers: [...answers], flags: ["--trust", "--setting-sources=project"] });
  expect(count()).toEqual([0, 1, 1, 0]);
  const { notices } = await ask("go", { answers: [...answers], flags: [] });
  expect(count()).toEqual([1, 0, 0, 0]);
  expect(notices).toContain(".claude/rules");
});

test("a command sends its text with arguments, output of commands and files", async () => {
  await runs.write({
    "project/.claude/commands/fix/issue.md":
      "---\ndescription: Fix\n---\nFix issue $0.\nFiles: !`ls docs` Now: !`touch made` See @docs/style.md",
    "project/docs/style.md": "Use tabs.",
  });
  await ask("/fix:issue 12");
  expect(sent()).toContain("/fix:issue 12\\n\\nFix issue 12.\\nFiles: style.md Now: (not run: ");
  expect(sent()).toContain("Use tabs.");
  expect(isMade("made")).toBe(false);
  const { notices } = await ask("/fix:issue 12", { flags: [] });
  expect(notices).toContain("this folder is not trusted: .claude/commands.");
  expect(sent()).not.toContain("Fix issue");
});

test("what the user's command allows holds for its turn, and its model; the project's needs approval", async () => {
  const command =
    "---\nallowed-tools: Bash(touch:*)\nmodel: claude-haiku-5-5\n---\nMake it. !`touch first`";
  await runs.write({ "user/.claude/commands/make.md": command });
  const second = [bash("touch second"), say("ok")];
  const { session } = await ask("/make", { answers: [...second] });
  expect(["first", "second"].map(isMade)).toEqual([true, true]);
  expect(runs.sent()?.model).toBe("claude-haiku-5-5");
  await ask("touch third", resume(session, { answers: [bash("touch third"), say("ok")] }));
  expect(isMade("third")).toBe(false);
  expect(runs.sent()?.model).toBe("claude-sonnet-5-5");
  await runs.write({ "project/.claude/commands/own.md": command.replace("first", "fourth") });
  const { asked } = await ask("/own", { answers: [bash("touch fifth"), say("ok")] });
  expect(asked[0]?.title).toBe("/own wants to use these tools without asking");
  expect(["fourth", "fifth"].map(isMade)).toEqual([false, false]);
});

test("a task that the model gives to a subagent is not a command", async () => {
  await runs.write({
    "user/.claude/commands/make.md": "---\nallowed-tools: Bash\n---\nMake it.",
  });
  await ask("go", { answers: [task("/make"), say("made"), say("ok")] });
  expect(JSON.stringify(runs.api.requests.at(-2)?.body?.messages.at(-1))).toContain('"/make"');
});

test("skills are listed in a line each, loaded by the model, and run with a slash", async () => {
  await runs.write({
    "project/.claude/skills/pdf/SKILL.md":
      "---\nname: pdf\ndescription: Fill in forms\n---\nOpen the form with $ARGUMENTS.",
    "user/.claude/skills/mail/SKILL.md": "---\ndescription: Write mail\n---\nBe polite.",
    "user/.claude/skills/mail/tone.md": "Warmly.",
  });
  await ask("fill it in", { answers: [uses("Skill", { skill: "pdf", args: "qpdf" }), say("ok")] });
  expect(sent()).toContain("- mail: Write mail\\n- pdf: Fill in forms");
  expect(sent()).not.toContain("Be polite.");
  expect(sent()).toContain("Open the form with qpdf.");
  const tone = join(runs.user, ".claude/skills/mail/tone.md");
  const answers = [uses("Skill", { skill: "mail" }), read(tone), say("ok")];
  await ask("/mail to Ann", { flags: [], answers });
  expect(sent()).toContain("Be polite.\\n\\nARGUMENTS: to Ann");
  expect(sent()).toContain("Warmly.");
  expect(sent()).not.toContain("pdf: Fill in forms");
  // A session that began without skills is not told of any later.
  const { session } = await ask("hi", { flags: ["--tools=Read"] });
  await ask("hi", resume(session));
  expect(sent()).not.toContain("mail: Write mail");
});
