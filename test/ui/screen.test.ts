/** The whole program with the offline model or a fake server: screen, agent, tools, log. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { openLog } from "../../src/log/store.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { makeReport } from "../facts.ts";
import { say, startFakeApi } from "../fake-api/index.ts";
import type { MemoryTerminal } from "./memory.ts";
import { idle, program } from "./program.ts";

const on = await program("screen");
afterAll(on.remove);

/** A folder with a file of three lines, and the log of its one session. */
async function workspace(name: string) {
  const cwd = join(on.root, name);
  await mkdir(cwd, { recursive: true });
  const notes = Bun.file(join(cwd, "notes.txt"));
  await notes.write("one\ntwo\nthree\n");
  const log = async () => {
    const sessions = join(on.root, "home", "sessions");
    const folder = (await readdir(sessions)).find((each) => each.includes(`-${name}-`)) ?? "";
    const files = (await readdir(join(sessions, folder))).filter((each) => each.endsWith(".jsonl"));
    return Bun.file(join(sessions, folder, files[0] ?? ""));
  };
  return { cwd, notes, log };
}

/** Sends a message, and waits until its answer is complete. */
async function ask(terminal: MemoryTerminal, text: string, seen: string | RegExp): Promise<string> {
  await terminal.type(`${text}\r`);
  return terminal.waitFor(
    (now) => idle.test(now) && (typeof seen === "string" ? now.includes(seen) : seen.test(now)),
  );
}

async function leave(terminal: MemoryTerminal): Promise<void> {
  await terminal.type("/exit\r");
  expect(await terminal.exited).toBe(0);
}

test("a question about this repository is answered with file and line", async () => {
  const checkout = join(import.meta.dir, "../..");
  const terminal = await on.open({ cwd: checkout, rows: 40 });
  // System prompt and tools count before the first call.
  expect(terminal.screen()).toMatch(/~[23]\.\dk of 28k · \d+ %/);
  const screen = await ask(terminal, "where is the context meter drawn?", "tokens read");
  const [, file = ""] = /(src\/ui\/[\w/-]*meter[\w/-]*\.tsx?):\d+/.exec(screen) ?? [];
  expect(await Bun.file(join(checkout, file)).text()).toContain("meter");
  expect(screen).toMatch(/[\d.]+k of 28k · \d+ %/);
  await leave(terminal);
  // Back on the normal screen: the conversation, and how to resume.
  const [, left = ""] = terminal.output().split("\x1b[?1049l");
  expect(left).toMatch(/❯ where is the context meter drawn\?[^]*best match[^]*Resume with: /);
});

test("an edit is shown as a diff, made after approval, and logged", async () => {
  const { cwd, notes, log } = await workspace("edit");
  const terminal = await on.open({ cwd });
  const replaceTwo = async (): Promise<string> => {
    const asked = await terminal.send('replace "two" with "zwei" in notes.txt', "Allow once (y)");
    await terminal.press("tab");
    return asked;
  };
  const asked = await replaceTwo();
  expect(asked).toContain("2 │ - two");
  expect(asked).toContain("2 │ + zwei");
  expect(await notes.text()).toContain("two");
  await terminal.send(
    "nkeep the y and the a",
    (now) => now.includes("denied and did not run") && idle.test(now),
  );
  expect(await notes.text()).toContain("two");
  await replaceTwo();
  await terminal.hit("enter", (now) => now.includes("Done: Changed") && idle.test(now));
  expect(await notes.text()).toBe("one\nzwei\nthree\n");
  await leave(terminal);
  const text = await (await log()).text();
  expect(text).toContain("keep the y and the a");
  expect(text).toContain('"type":"checkpoint"');
});

test("Ctrl-B sends a command to the background, Esc stops one; the session continues and can be resumed", async () => {
  const { cwd } = await workspace("stop");
  const terminal = await on.open({ cwd, args: ["--permission-mode", "bypass"] });
  await terminal.send("run `echo started; sleep 60`", "│ started");
  await terminal.hit(
    "ctrl+b",
    (now) => now.includes("1 command in the background") && idle.test(now),
  );
  await terminal.send("run `echo begun; sleep 60`", "│ begun");
  await terminal.hit("escape", "Stopped.");
  await ask(terminal, "what did I ask first?", "work by fixed rules");
  await leave(terminal);
  const [, session = ""] = /--resume (\S+)/.exec(terminal.screen()) ?? [];
  const resumed = await on.open({ cwd, args: ["--resume", session] });
  expect(resumed.screen()).toContain("what did I ask first?");
});

test("opens a new session, a fork, and the first one again from the list", async () => {
  const { cwd } = await workspace("several");
  const terminal = await on.open({ cwd });
  await ask(terminal, "what did I ask first?", "work by fixed rules");
  await terminal.send("/rename the first", "now called the first");
  await terminal.send("/fork the fork", "Forked from ");
  await terminal.send(
    "/new",
    (now) => now.includes("The built-in offline model") && idle.test(now),
  );
  expect(terminal.screen()).not.toContain("what did I ask first?");
  expect(await terminal.send("/sessions", /the fork[^]* KB/)).toContain("the first");
  const isBack = (now: string): boolean =>
    now.includes("❯ what did I ask first?") && !now.includes("Sessions of") && idle.test(now);
  await terminal.send("the first", isBack);
  expect(terminal.screen()).not.toContain("Forked from ");
  await leave(terminal);
  const picked = await on.open({ cwd, args: ["--resume"], wanted: /the fork[^]* KB/ });
  await picked.send("the fork", isBack);
});

test("a rewind undoes files and conversation, and the branch can be opened again, even after a resume", async () => {
  const { cwd, notes } = await workspace("rewind");
  const terminal = await on.open({ cwd, args: ["--permission-mode", "accept-edits"] });
  await ask(terminal, 'replace "two" with "zwei" in notes.txt', "Done: Changed notes.txt");
  expect(await notes.text()).toBe("one\nzwei\nthree\n");
  await terminal.send("/rewind", "1 file changed since");
  await terminal.press("tab", "tab");
  await terminal.waitFor("Rewind the conversation and the files");
  await terminal.hit("enter", "Restore notes.txt");
  await terminal.hit("enter", "Restored notes.txt.");
  await terminal.waitFor(
    (now) => now.includes('❯ replace "two"') && !now.includes("Done: Changed"),
  );
  expect(await notes.text()).toBe("one\ntwo\nthree\n");
  await terminal.press("ctrl+c", "ctrl+c", "ctrl+c");
  expect(await terminal.exited).toBe(0);

  const resumed = await on.open({ cwd, args: ["--continue"] });
  expect(resumed.screen()).not.toContain("Done: Changed");
  await resumed.send("/rewind", "1 turn, last: replace");
  await resumed.hit("enter", "Done: Changed notes.txt");
});

test("a resumed session reports changed files to the user and to the model", async () => {
  const { cwd, notes, log } = await workspace("changed");
  const terminal = await on.open({ cwd });
  await ask(terminal, "read notes.txt", "three");
  await leave(terminal);
  await notes.write("somebody else\n");
  const resumed = await on.open({ cwd, args: ["--continue"] });
  await resumed.waitFor("Changed on disk since this session last saw it: notes.txt.");
  await ask(resumed, "read notes.txt", "somebody else");
  await leave(resumed);
  expect(await (await log()).text()).toContain("read them again before you rely on them");
  const again = await on.open({ cwd, args: ["--continue"] });
  expect(again.screen()).not.toContain("Changed on disk since");
  await ask(again, "read notes.txt", "somebody else");
  await leave(again);
  expect((await (await log()).text()).match(/read them again before/g)).toHaveLength(1);
  // Of a file the last stamp counts, of all files the 200 last ones; one of an import says nothing.
  await mkdir(join(cwd, "folder"));
  const makeStamp = (name: string, hash = "old"): FileStamp => ({
    path: join(cwd, name),
    does: "read",
    hash,
    bytes: 1,
  });
  const gone = Array.from({ length: 201 }, (_, n) => makeStamp(`gone${n}`));
  const now = new Bun.CryptoHasher("sha256").update("somebody else\n").digest("hex");
  const kept = [makeStamp("notes.txt"), makeStamp("notes.txt", now), makeStamp("bun", "")];
  const stored = openLog((await log()).name ?? "");
  await stored.append(makeReport({ stamps: [...gone, ...kept, makeStamp("folder")] }));
  await stored.close();
  const last = await on.open({ cwd, args: ["--continue"] });
  await last.waitFor(/saw it: gone4 \(deleted\), [^]*gone8 \(deleted\)\s+and\s+193\s+more\./);
});

test.each([
  ["answer", /^The second answer\.\n+Resume with: /],
  ["nothing", /^Resume with: /],
])(
  "with printOnExit %s, that remains on the terminal, and the command that resumes",
  async (setting, wanted) => {
    const { cwd, log } = await workspace(`closing-${setting}`);
    const api = startFakeApi();
    api.next(say("The answer."), say("The second answer."));
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" };
    const terminal = await on.open({ cwd, env: { ...env, MINI_CLAUDE_PRINT_ON_EXIT: setting } });
    await ask(terminal, "the question", "The answer.");
    await ask(terminal, "again", "The second answer.");
    await leave(terminal);
    await api.stop();
    const [, session = ""] = /--resume (\S+)/.exec(terminal.screen()) ?? [];
    expect(terminal.screen()).toMatch(wanted);
    expect((await log()).name).toContain(session);
  },
);

test("an empty session leaves nothing", async () => {
  const terminal = await on.open();
  await terminal.press("ctrl+d");
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toBe("");
});
