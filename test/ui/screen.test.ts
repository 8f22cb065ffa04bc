/** The program in a real pseudo-terminal, with the offline model. */

import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../bin.ts";
import { call, say, startFakeApi } from "../fake-api/index.ts";
import { start, type Pty } from "./pty.ts";

const checkout = join(import.meta.dir, "../..");
const root = await mkdtemp(join(tmpdir(), "screen-"));
const bin = await folderWithBun(root);
afterAll(() => rm(root, { recursive: true, force: true }));

/** The prompt is empty and nothing is running. */
const idle = /❯ Ask/;

async function open(
  cwd: string,
  args: string[] = [],
  { env: more, ...size }: { cols?: number; rows?: number; env?: Record<string, string> } = {},
): Promise<Pty> {
  const own = { HOME: root, MINI_CLAUDE_HOME: join(root, "home"), PATH: `${bin}:/usr/bin:/bin` };
  const env = { ...own, ...more };
  const pty = start([cli, "--trust", ...args], {
    cwd,
    env,
    ...size,
  });
  await pty.waitFor(idle);
  return pty;
}

async function workspace(name: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "notes.txt"), "one\ntwo\nthree\n");
  return folder;
}

test("a question about this repository is answered with file and line", async () => {
  const pty = await open(checkout, [], { rows: 20 });
  // System prompt and tools count before the first call.
  expect(pty.screen()).toMatch(/~[23]\.\dk of 28k · \d+ %/);
  await pty.type("where is the context meter drawn?\r");
  const screen = await pty.waitFor((now) => idle.test(now) && now.includes("tokens read"));
  const [, file = ""] = /(src\/ui\/[\w/-]*meter[\w/-]*\.tsx?):\d+/.exec(screen) ?? [];
  expect(await Bun.file(join(checkout, file)).text()).toContain("meter");
  expect(screen).toMatch(/[\d.]+k of 28k · \d+ %/);

  // The forecast may appear in the meter later.
  const above = (now: string): string => now.slice(0, now.lastIndexOf("\n"));
  const end = above(pty.screen());
  await pty.press("pageup");
  await pty.waitFor("more below");
  await pty.press("home");
  await pty.waitFor("The built-in offline model answers");
  await pty.press("end");
  await pty.waitFor((now) => above(now) === end);

  pty.resize(60, 15);
  await pty.waitFor((now) => now.split("\n").length <= 15 && /asks before edits\s*$/m.test(now));
  pty.resize(100, 20);
  await pty.waitFor((now) => above(now) === end);

  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  // Back on the normal screen: the last answer, and how to resume.
  await pty.waitFor("mini-claude --resume ");
  expect(pty.output().lastIndexOf("best match")).toBeGreaterThan(
    pty.output().lastIndexOf("\x1b[?1049l"),
  );
  await pty.close();
});

test("an edit is shown as a diff, made after approval, and logged", async () => {
  const cwd = await workspace("edit");
  const pty = await open(cwd);
  await pty.type('replace "two" with "zwei" in notes.txt\r');
  const asked = await pty.waitFor("❯ Allow once");
  expect(asked).toContain("2 │ - two");
  expect(asked).toContain("2 │ + zwei");
  expect(await Bun.file(join(cwd, "notes.txt")).text()).toContain("two");
  await pty.press("down", "down", "down");
  await pty.waitFor("❯ Deny, and tell the agent why");
  await pty.press("up", "up", "up", "enter");
  await pty.waitFor("is changed");
  expect(await Bun.file(join(cwd, "notes.txt")).text()).toBe("one\nzwei\nthree\n");
  await pty.waitFor(idle);
  await pty.type("/exit\r");
  await pty.exited;
  await pty.close();
  const entries = await readLog("edit");
  const types = entries.map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(["session", "context", "user"]);
  expect(types).toContain("checkpoint");
  const calls = entries.flatMap(({ content = [] }) =>
    content.filter(({ type }) => type === "tool_use").map(({ id }) => id),
  );
  const results = entries.filter(({ type }) => type === "result").map(({ toolUse }) => toolUse);
  expect(results).toEqual(calls);
});

test("a denial with a reason, typed in one read, changes nothing", async () => {
  const cwd = await workspace("no");
  const pty = await open(cwd);
  await pty.type('replace "two" with "zwei" in notes.txt\r');
  await pty.waitFor("❯ Allow once");
  await pty.type("nkeep the y and the a\r");
  await pty.waitFor("denied and did not run");
  await pty.waitFor(idle);
  expect(await Bun.file(join(cwd, "notes.txt")).text()).toBe("one\ntwo\nthree\n");
  await pty.press("ctrl+c", "ctrl+c");
  expect(await pty.exited).toBe(0);
  await pty.close();
  expect(JSON.stringify(await readLog("no"))).toContain("keep the y and the a");
});

test("a letter typed as a question appears does not answer it", async () => {
  const cwd = await workspace("typing");
  const pty = await open(cwd);
  await pty.type('replace "two" with "zwei" in notes.txt');
  await pty.waitFor("in notes.txt");
  await pty.type("\rmy ");
  await pty.waitFor("Press Tab to answer");
  await pty.type("yay");
  await pty.waitFor("❯ my yay");
  expect(await Bun.file(join(cwd, "notes.txt")).text()).toContain("two");
  await pty.press("tab");
  await pty.waitFor("❯ Allow once");
  await pty.press("y");
  await pty.waitFor("is changed");
  await pty.waitFor("❯ my yay");
  await pty.press("ctrl+c", "ctrl+c", "ctrl+c");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("Esc stops a running command; the session continues and can be resumed", async () => {
  const cwd = await workspace("stop");
  const pty = await open(cwd);
  await pty.type("run `echo started; sleep 60`\r");
  // Without a sandbox it is asked about.
  const seen = await pty.waitFor(/❯ Allow once|│ started/);
  if (seen.includes("Allow once")) await pty.press("y");
  await pty.waitFor("│ started");
  await pty.press("escape");
  await pty.waitFor("Stopped.");
  await pty.type("what did I ask first?\r");
  await pty.waitFor("work by fixed rules");
  await pty.waitFor(idle);
  await pty.type("/exit\r");
  await pty.exited;
  // The terminal may still be reading the last output of the program.
  const again = /(--resume \S+)/.exec(await pty.waitFor(/--resume \S+/))?.[1]?.split(" ") ?? [];
  await pty.close();
  const resumed = await open(cwd, again);
  await resumed.waitFor("what did I ask first?");
  await resumed.type("/exit\r");
  await resumed.exited;
  await resumed.close();
});

test("opens a new session, a fork, and the first one again from the list", async () => {
  const cwd = await workspace("several");
  const pty = await open(cwd);
  await pty.type("what did I ask first?\r");
  await pty.waitFor((now) => now.includes("work by fixed rules") && idle.test(now));
  await pty.type("/rename the first");
  await pty.waitFor("❯ /rename the first");
  await pty.type("\r/fork the fork\r");
  await pty.waitFor("Forked from ");
  await pty.type("/new\r");
  await pty.waitFor((now) => now.includes("The built-in offline model") && idle.test(now));
  expect(pty.screen()).not.toContain("what did I ask first?");
  await pty.type("/sessions\r");
  const list = await pty.waitFor(/the fork.* KB/);
  expect(list).toContain("the first");
  await pty.type("the first\r");
  const isBack = (now: string): boolean =>
    now.includes("❯ what did I ask first?") && !now.includes("Sessions of") && idle.test(now);
  await pty.waitFor(isBack);
  expect(pty.screen()).not.toContain("Forked from ");
  // Text typed while a setting reopens the session is still there afterwards.
  const opened = (): number => pty.output().split("\x1b[?1049h").length;
  const before = opened();
  await pty.type("!until [ -e go ]; do sleep 0.05; done\r");
  await pty.waitFor("Running");
  await pty.type("/settings\r");
  await pty.waitFor("Enter change");
  await pty.type("notifyBy\r");
  await pty.waitFor("Enter select");
  await pty.type("osc9\r");
  await pty.waitFor(/notifyBy +osc9/);
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("Enter change"));
  await pty.type("typed meanwhile");
  await pty.waitFor("❯ typed meanwhile");
  await Bun.write(join(cwd, "go"), "");
  await pty.waitFor(() => opened() > before);
  // The text may still be there from the old screen; only the new screen accepts this key.
  await pty.type(" and after");
  await pty.waitFor("❯ typed meanwhile and after");
  await pty.press("ctrl+c");
  await pty.waitFor("❯ Ask");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  const picked = await open(cwd, ["--resume"]);
  await picked.waitFor(/the fork.* KB/);
  await picked.type("the fork\r");
  await picked.waitFor(isBack);
  await picked.type("/exit\r");
  expect(await picked.exited).toBe(0);
  await picked.close();
});

test("a rewind undoes files and conversation, and the branch can be opened again, even after a resume", async () => {
  const cwd = await workspace("rewind");
  const notes = () => Bun.file(join(cwd, "notes.txt")).text();
  const pty = await open(cwd, ["--permission-mode", "accept-edits"]);
  await pty.type('replace "two" with "zwei" in notes.txt\r');
  await pty.waitFor((now) => now.includes("is changed in 1 place") && idle.test(now));
  expect(await notes()).toBe("one\nzwei\nthree\n");
  await pty.type("/rewind\r");
  await pty.waitFor("1 file changed since");
  await pty.press("tab", "tab");
  await pty.waitFor("Rewind the conversation and the files");
  await pty.press("enter");
  await pty.waitFor("Restore notes.txt");
  await pty.press("enter");
  await pty.waitFor((now) => now.includes('❯ replace "two"') && !now.includes("is changed"));
  await pty.waitFor("Restored notes.txt.");
  expect(await notes()).toBe("one\ntwo\nthree\n");
  await pty.press("ctrl+c", "ctrl+c", "ctrl+c");
  expect(await pty.exited).toBe(0);
  await pty.close();

  const resumed = await open(cwd, ["--continue"]);
  expect(resumed.screen()).not.toContain("is changed");
  await resumed.type("/branches\r");
  await resumed.waitFor("1 turn, last: replace");
  await resumed.press("enter");
  await resumed.waitFor("is changed in 1 place");
  await resumed.type("/exit\r");
  expect(await resumed.exited).toBe(0);
  await resumed.close();
});

test("edits a paste of 5,000 lines, wide letters and emoji", async () => {
  const cwd = await workspace("paste");
  const pty = await open(cwd);
  await pty.paste(Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n"));
  await pty.waitFor("[Pasted #1, 5,000 lines]");
  await pty.press("ctrl+u");
  await pty.type("日本語 👩‍👩‍👧 é");
  await pty.waitFor("日本語");
  await pty.waitFor(() => pty.cursor().column === 4 + 6 + 1 + 2 + 1 + 1);
  await pty.press("backspace", "backspace", "backspace");
  await pty.waitFor((now) => now.includes("日本語") && !now.includes("👧"));
  await pty.press("ctrl+c");
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("a summary can be edited before it is used; Esc discards it", async () => {
  const cwd = await workspace("review");
  const rows = Array.from({ length: 400 }, (_, i) => `row ${i} of a long file`);
  await Bun.write(join(cwd, "big.txt"), rows.join("\n"));
  const editor = join(root, "editor.sh");
  await Bun.write(editor, '#!/bin/sh\necho "Only the harbour matters." > "$1"\n');
  await chmod(editor, 0o700);
  const pty = await open(cwd, [], { env: { MINI_CLAUDE_CONFIRM_SUMMARY: "1", EDITOR: editor } });
  const questions = { "read big.txt": "360 more lines", "show lines 1-3 of big.txt": "row 2 " };
  for (const [question, seen] of Object.entries(questions)) {
    await pty.type(`${question}\r`);
    await pty.waitFor((now) => now.includes(seen) && idle.test(now));
  }
  await pty.type("/compact\r");
  await pty.waitFor("❯ Summarize");
  await pty.press("enter");
  await pty.waitFor("❯ Use this summary");
  await pty.press("escape");
  await pty.waitFor((now) => now.includes("Not compacted") && !now.includes("Use this summary"));
  await pty.type("/compact\r");
  await pty.waitFor("❯ Summarize");
  await pty.press("enter");
  await pty.waitFor("❯ Use this summary");
  await pty.press("e");
  await pty.waitFor("Only the harbour matters.");
  await pty.press("enter");
  await pty.waitFor("1 turn summarized");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  const cuts = (await readLog("review")).filter(({ type }) => type === "cut");
  expect(cuts).toHaveLength(1);
  expect(JSON.stringify(cuts)).toContain("Only the harbour matters.");
});

test("a pasted API key is used in the running session, and neither shown nor stored", async () => {
  const cwd = await workspace("connect");
  const key = "sk-ant-secret-5309";
  const api = startFakeApi({ key });
  api.next(say("Hello from the other side."));
  const pty = await open(cwd, ["--offline"], { env: { ANTHROPIC_BASE_URL: api.url } });
  await pty.type("what did I ask first?\r");
  await pty.waitFor((now) => now.includes("work by fixed rules") && idle.test(now));
  await pty.type("/connect\r");
  await pty.waitFor("no key in ANTHROPIC_API_KEY");
  await pty.press("enter");
  await pty.waitFor("paste the key here");
  await pty.paste(key);
  await pty.waitFor("•".repeat(key.length));
  await pty.press("enter");
  await pty.waitFor(
    (now) => /claude-\S+ · asks/.test(now) && now.includes("what did I ask first?"),
  );
  await pty.type("hello\r");
  await pty.waitFor((now) => now.includes("Hello from the other side.") && idle.test(now));
  await pty.type("/model\r");
  await pty.waitFor(/● claude-/);
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("● claude-"));
  await pty.type("!env\r");
  await pty.waitFor("PATH=");
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
  await api.stop();
  expect(pty.output()).not.toContain(key);
  expect(JSON.stringify(await readLog("connect"))).not.toContain(key);
  expect(await Bun.file(join(root, "home", "history.jsonl")).text()).not.toContain(key);
});

test("selects mode and theme from a list; the theme applies at once and to later sessions", async () => {
  const cwd = await workspace("choose");
  const home = join(root, "choosing");
  const pty = await open(cwd, [], { env: { MINI_CLAUDE_HOME: home } });
  await pty.type("/mode\r");
  await pty.waitFor("● default");
  await pty.type("plan\r");
  await pty.waitFor("plan mode, read-only");
  await pty.type("/theme\r");
  await pty.waitFor("color-blind");
  await pty.type("light\r");
  await pty.waitFor((now) => !now.includes("color-blind"));
  await pty.type("/theme\r");
  await pty.waitFor("● light");
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("● light"));
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
  expect(await Bun.file(join(home, "settings.json")).json()).toEqual({ theme: "light" });
});

test("summarized text is found by its words, read in full, and restored", async () => {
  const cwd = await workspace("recall");
  const rows = Array.from({ length: 3_000 }, (_, n) => `row ${n} of a long file`);
  rows[2_500] = "the lighthouse keeper";
  await Bun.write(join(cwd, "big.txt"), rows.join("\n"));
  const pty = await open(cwd);
  await pty.type("run `cat big.txt`\r");
  await pty.waitFor((now) => now.includes("row 2999") && idle.test(now));
  await pty.type("what did I ask first?\r");
  await pty.waitFor((now) => now.includes("work by fixed rules") && idle.test(now));
  await pty.type("/compact\r");
  await pty.waitFor("❯ Summarize");
  await pty.press("enter");
  await pty.waitFor("1 turn summarized");
  await pty.type("/recall lighthouse\r");
  const list = await pty.waitFor("the lighthouse keeper");
  expect(list).toMatch(/Bash cat big\.txt {2}\[summarized\]/);
  await pty.press("enter");
  await pty.waitFor("of 3000");
  await pty.press("end");
  await pty.waitFor("row 2999 of a long file");
  await pty.press("tab");
  await pty.waitFor("▸ recall: entry");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  const back = (await readLog("recall")).filter(({ type }) => type === "context").at(-1);
  expect(back).toMatchObject({ kind: "recall" });
});

test("a resumed session reports changed files to the user and to the model", async () => {
  const cwd = await workspace("changed");
  const pty = await open(cwd);
  await pty.type("read notes.txt\r");
  await pty.waitFor((now) => now.includes("three") && idle.test(now));
  await pty.type("/exit\r");
  await pty.exited;
  await pty.close();
  await Bun.write(join(cwd, "notes.txt"), "somebody else\n");
  const resumed = await open(cwd, ["--continue"]);
  await resumed.waitFor("Changed on disk since this session last saw it: notes.txt.");
  await resumed.type("read notes.txt\r");
  await resumed.waitFor((now) => now.includes("somebody else") && idle.test(now));
  await resumed.type("/exit\r");
  await resumed.exited;
  await resumed.close();
  const shown = (await readLog("changed")).filter(({ type }) => type === "context");
  expect(JSON.stringify(shown.at(-1))).toContain("read them again before you rely on them");
  const again = await open(cwd, ["--continue"]);
  expect(again.screen()).not.toContain("Changed on disk since");
  await again.type("/exit\r");
  await again.exited;
  await again.close();
});

test("with a cold cache, shows what the next message costs, and one key clears old results", async () => {
  const cwd = await workspace("idle");
  const lines = (n: number) => `export const v${n} = "some words of a file";\n`.repeat(500);
  for (let n = 0; n < 6; n++) await Bun.write(join(cwd, `f${n}.ts`), lines(n));
  const api = startFakeApi();
  const reads = Array.from({ length: 6 }, (_, n) => call("Read", { file_path: `f${n}.ts` }));
  api.next({ content: reads }, say("All are read."));
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" };
  const pty = await open(cwd, [], { env });
  await pty.type("read all\r");
  await pty.waitFor((now) => now.includes("All are read.") && idle.test(now));
  await pty.type("/exit\r");
  await pty.exited;
  await pty.close();
  // The user was away for some hours.
  const file = await logFile("idle");
  const log = await Bun.file(file).text();
  await Bun.write(file, log.replace(/"sentAt":"[^"]+"/g, '"sentAt":"2026-01-01T00:00:00.000Z"'));
  const back = await open(cwd, ["--continue"], { env });
  const shown = await back.waitFor(/The cache expired after/);
  expect(shown.replace(/\s+/g, " ")).toMatch(/The next message.* costs \$0\.\d+/);
  await back.press("ctrl+s");
  await back.waitFor("❯ Summarize");
  await back.press("tab");
  await back.waitFor("❯ Clear");
  await back.press("enter");
  await back.waitFor(
    (now) => /\d old results cleared/.test(now) && !now.includes("The cache expired"),
  );
  await back.press("ctrl+d");
  await back.exited;
  await back.close();
  await api.stop();
});

test("completes a file after @, also without some of its letters", async () => {
  const cwd = await workspace("everyday");
  await Bun.write(join(cwd, ".gitignore"), "hidden.txt\n");
  await Bun.write(join(cwd, "hidden.txt"), "x");
  const pty = await open(cwd);
  await pty.type("read @");
  const offered = await pty.waitFor("notes.txt");
  expect(offered).not.toContain("hidden.txt");
  await pty.type("nots");
  await pty.waitFor((now) => now.includes("❯ read @nots") && now.includes("notes.txt"));
  await pty.press("tab");
  await pty.waitFor("❯ read @notes.txt");
  await pty.press("enter");
  await pty.waitFor((now) => now.includes("three") && idle.test(now));
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("a key compacts, the boundary is shown, and undo restores it", async () => {
  const cwd = await workspace("compact");
  await Bun.write(
    join(cwd, "big.txt"),
    Array.from({ length: 400 }, (_, i) => `row ${i} of a long file`).join("\n"),
  );
  const pty = await open(cwd);
  const questions = { "read big.txt": "360 more lines", "read notes.txt": "three" };
  const more = { "show lines 1-3 of big.txt": "row 2 ", "show lines 4-5 of big.txt": "row 4 " };
  for (const [question, seen] of Object.entries({ ...questions, ...more })) {
    await pty.type(`${question}\r`);
    await pty.waitFor((now) => now.includes(seen) && idle.test(now));
  }
  await pty.press("ctrl+s");
  await pty.waitFor(/❯ Clear \d/);
  await pty.press("enter");
  const cut = await pty.waitFor(/\d+ old results? cleared/);
  expect(cut).toContain("freed");
  await pty.type("/undo-compact\r");
  await pty.waitFor("Compaction undone");
  await pty.type("/exit\r");
  await pty.exited;
  await pty.close();
});

test("the inspector pins and drops; the lens shows what the model sees, now and at earlier calls", async () => {
  const cwd = await workspace("inspect");
  await Bun.write(
    join(cwd, "long.txt"),
    Array.from({ length: 40 }, (_, i) => `row ${i}`).join("\n"),
  );
  const pty = await open(cwd);
  await pty.type("read long.txt\r");
  await pty.waitFor((now) => now.includes("row 39") && idle.test(now));
  await pty.press("ctrl+x");
  await pty.waitFor(" Items ");
  await pty.press("p");
  await pty.waitFor("pinned");
  await pty.press("p");
  await pty.waitFor((now) => !/ pinned /.test(now));
  await pty.press("d");
  await pty.waitFor(/1 item dropped/);
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes(" Items "));
  await pty.press("alt+v");
  const now = await pty.waitFor("Lens: what the model sees now");
  expect(now).toContain("✂ removed since the last call, dropped:");
  expect(now).toMatch(/- Read long\.txt/);
  await pty.press("left");
  expect(await pty.waitFor("saw at call 2 of 2")).toContain(
    "✂ removed between this call and now, dropped",
  );
  await pty.press("left");
  expect(await pty.waitFor("saw at call 1 of 2")).not.toContain("✂");
  await pty.press("alt+v");
  await pty.waitFor((screen) => !screen.includes("Lens:"));
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("earlier prompts return by Up and by search", async () => {
  const pty = await open(await workspace("history"));
  for (const [question, seen] of [
    ["read notes.txt", "three"],
    ["what did I ask first?", "work by fixed rules"],
  ] as const) {
    await pty.type(`${question}\r`);
    await pty.waitFor((now) => now.includes(seen) && idle.test(now));
  }
  await pty.press("up");
  await pty.waitFor((now) => now.includes("❯ what did I ask first?\n  ─"));
  await pty.press("up");
  await pty.waitFor((now) => now.includes("❯ read notes.txt\n  ─"));
  await pty.press("ctrl+c");
  await pty.waitFor("❯ Ask");
  await pty.type("did I");
  await pty.press("ctrl+r");
  await pty.waitFor(/ {2}what did I ask first\?\n {2}─+\n {2}❯ did I/);
  await pty.press("enter");
  await pty.waitFor((now) => now.includes("❯ what did I ask first?\n  ─"));
  await pty.press("ctrl+c", "ctrl+c", "ctrl+c");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("pages through a result of 7 MB from the first line to the last", async () => {
  const pty = await open(await workspace("large"), [], { rows: 40 });
  await pty.type("run `seq 1000000`\r");
  const shown = await pty.waitFor((now) => now.includes("succeeded") && idle.test(now));
  expect(shown).toMatch(/\[saved, [\d.]+M freed\]/);
  await pty.press("ctrl+o", "k", "enter");
  await pty.waitFor("lines 1-200 of 1,000,00");
  await pty.press("}");
  await pty.waitFor(/lines 999,\d+-1,000,00\d of 1,000,00/);
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("Enter open"));
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("a terminal that is too small says so and recovers", async () => {
  const pty = await open(await workspace("small"));
  pty.resize(7, 3);
  await pty.waitFor("Too s");
  pty.resize(8, 3);
  await pty.waitFor("❯");
  await pty.type("\x1bOP");
  await pty.waitFor("Too s");
  await pty.press("escape");
  await pty.waitFor("❯");
  pty.resize(20, 5);
  await pty.waitFor("❯");
  pty.kill("SIGTERM");
  expect(await pty.exited).toBe(143);
  // The alternate screen is left, however the program ends.
  expect(pty.output().lastIndexOf("\x1b[?1049l")).toBeGreaterThan(
    pty.output().lastIndexOf("\x1b[?1049h"),
  );
  await pty.close();
});

type Line = { type: string; toolUse?: string; content?: { type: string; id?: string }[] };

/** The one session of a workspace. */
async function logFile(name: string): Promise<string> {
  const sessions = join(root, "home", "sessions");
  const folder = (await readdir(sessions)).find((one) => one.includes(`-${name}-`)) ?? "";
  const [file] = (await readdir(join(sessions, folder))).filter((one) => one.endsWith(".jsonl"));
  return join(sessions, folder, file ?? "");
}

async function readLog(name: string): Promise<Line[]> {
  const text = await Bun.file(await logFile(name)).text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
