/** What a session begins and resumes with: prompt, tools, environment, instructions. */

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pathsFor } from "../../src/config/paths.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { call, say } from "../fake-api/index.ts";
import { sessionWith } from "../facts.ts";
import { savedSession } from "../saved-session.ts";
import { openedRuns, prompt, told, turn } from "./opened.ts";

const runs = openedRuns("opening");

/** One turn of a run that is then closed: what was new in the log, and what was sent. */
async function once(args: string[] = [], more: Parameters<typeof runs.open>[2] = {}) {
  const answers = args.includes("--offline") ? [] : [say("Ok.")];
  const opened = await runs.open(args, answers, more);
  const { length } = opened.log.path;
  await turn(opened, prompt("hi"));
  await opened.close();
  const news = opened.log.path.slice(length);
  const { session } = opened.log;
  return { opened, news, session, resume: `--resume=${session}`, text: told(news) };
}

const types = (path: readonly Entry[]): string[] => path.map(({ type }) => type);

test("a new session begins with its prompt and tools, the environment and the instructions", async () => {
  const added = mkdtempSync(join(runs.base, "added-"));
  await Bun.write(join(runs.cwd, "AGENTS.md"), "Use tabs.");
  const flags = ["--trust", `--add-dir=${added}`, "--permission-mode=plan"];
  const { news, text, opened } = await once(flags);
  expect(types(news)).toEqual(["session", "context", "context", "user", "assistant"]);
  expect(news[0]).toMatchObject({ session: opened.log.session, cwd: runs.cwd });
  expect(news[0]).toMatchObject({ model: "claude-sonnet-5-5", system: opened.run.opening.system });
  expect(news[0]).not.toHaveProperty("startedBy");
  expect(text).toContain(`Working folder: ${runs.cwd}\nAdded folder: ${added}\nPlatform: `);
  expect(text).toContain("Permission mode: plan (read-only");
  expect(text).toContain("submit your plan with ExitPlanMode");
  expect(text).toContain("Use tabs.");
  expect(text).not.toContain("Nobody can answer");
  const asks = "A command that needs more asks the user";
  expect(text.includes(asks)).toBe(await opened.run.toolbox.hasSandbox());
  const own = await once([...flags, "--setting-sources=user"], { isUnattended: true });
  expect(own.text).not.toContain(asks);
  expect(own.text).not.toMatch(/Use tabs|Git|ExitPlanMode/);
  expect(own.text).toContain("Nobody can answer questions");
});

test("it is said what commands may do, for the system that they run on", async () => {
  const { platform } = process;
  const said = async (system: string, ...flags: string[]) => {
    const opened = await runs.open(flags, [say("Ok.")]);
    const confines = await opened.run.toolbox.hasSandbox();
    Object.defineProperty(process, "platform", { value: system });
    try {
      await turn(opened, prompt("hi"));
    } finally {
      Object.defineProperty(process, "platform", { value: platform });
    }
    await opened.close();
    return { text: told(opened.log.path), confines };
  };
  for (const [system, confined] of [
    ["linux", "workspace and to /tmp"],
    ["darwin", "workspace and to $TMPDIR"],
  ] as const) {
    const { text, confines } = await said(system);
    expect(text).toContain(confines ? confined : "Sandbox: none");
    expect(text).not.toContain("Git Bash");
  }
  expect((await said("win32")).text).toContain("Git Bash, not in PowerShell");
  expect((await said("win32", "--tools=Read")).text).not.toMatch(/Git Bash|Sandbox/);
});

test("a session that gets commands when it is resumed is told what they may do", async () => {
  const { resume, text } = await once(["--tools=Read"]);
  expect(text).not.toContain("Sandbox: ");
  expect((await once([resume, "--tools=Bash"])).text).toContain("Sandbox: ");
});

test("a resumed session is told only what its log does not say", async () => {
  const names = ["a.txt", "b.txt"];
  for (const name of names) await Bun.write(join(runs.cwd, name), "one\n");
  const read = { content: names.map((file_path) => call("Read", { file_path })) };
  const { log } = await runs.once([], [read, say("Read.")]);
  const resume = `--resume=${log.session}`;
  expect(types((await once([resume])).news)).toEqual(["user", "assistant"]);
  await Bun.write(join(runs.cwd, "a.txt"), "another\n");
  await Bun.file(join(runs.cwd, "b.txt")).delete();
  const { news, text } = await once([resume, "--permission-mode=plan", "--model=opus"]);
  expect(news[0]).toMatchObject({ type: "model", model: "claude-opus-5-5" });
  expect(news.flatMap((entry) => (entry.type === "context" ? [entry.title] : []))).toEqual([
    "environment",
    "changed on disk",
  ]);
  expect(text).toContain("Permission mode: plan");
  // In the order in which they were read.
  expect(text.split("\n").slice(-2).toSorted()).toEqual(["- a.txt", "- b.txt (deleted)"]);
});

test("a resumed session keeps its model, its prompt and its tools, unless flags replace them", async () => {
  const { resume } = await once(["--model=haiku", "--append-system-prompt=Rhyme.", "--tools=Read"]);
  const resumed = async (...flags: string[]) => {
    const { news } = await once([resume, ...flags]);
    const { model, system, tools } = runs.sent() ?? {};
    const names = tools?.map(({ name }) => name);
    return { model, system: JSON.stringify(system), names, renewed: types(news)[0] === "session" };
  };
  const same = await resumed();
  expect(same).toMatchObject({ model: "claude-haiku-5-5", names: ["Read"], renewed: false });
  expect(same.system).toContain("Rhyme.");
  // What is replaced by the same leaves the cached prompt as it is.
  expect(await resumed("--tools=Read", "--append-system-prompt=Rhyme.")).toEqual(same);
  expect((await resumed("--system-prompt=Be a pirate.")).system).toContain("Be a pirate.");
  const sings = await resumed("--append-system-prompt=Sing.");
  expect(sings).toMatchObject({ names: ["Read"], renewed: true });
  expect(sings.system).toContain("Sing.");
  const greps = await resumed("--tools=Grep");
  expect(greps.names).toEqual(["Grep"]);
  expect(greps.system).toContain("Sing.");
  expect((await resumed('--json-schema={"type":"object"}')).names).toContain("StructuredOutput");
});

test("the offline model is not resumed", async () => {
  const { resume, opened } = await once(["--offline"]);
  expect(opened.run.modelName).toBe("offline");
  expect((await once([resume])).opened.run.modelName).toBe("claude-sonnet-5-5");
});

test("a session whose folder was renamed is told so, keeps prompt and tools, and rewinds its files there", async () => {
  const before = runs.cwd;
  runs.api.next({ content: [call("Write", { file_path: "made.ts", content: "" })] });
  const flags = ["--append-system-prompt=Rhyme.", "--permission-mode=accept-edits"];
  const { resume } = await once(flags);
  const after = join(runs.base, "renamed");
  renameSync(before, after);
  const paths = pathsFor({ HOME: runs.user, MINI_CLAUDE_HOME: runs.home }, after);
  const { opened, news, text } = await once([resume], { cwd: after });
  expect(opened.log.file).toStartWith(paths.projectSessions);
  expect(news[0]).toMatchObject({ type: "session", cwd: after });
  expect(news[0]?.type === "session" && news[0].system).toEndWith("Rhyme.");
  expect(text).toContain(`The folder ${before} is gone; its files are now in ${after}.`);
  expect(existsSync(join(after, "made.ts"))).toBe(true);
  const again = await runs.open([resume], [], { cwd: after });
  const to = again.log.path.find(({ type }) => type === "user")?.parent ?? null;
  await turn(again, { type: "rewind", to, files: true, conversation: true });
  expect(existsSync(join(after, "made.ts"))).toBe(false);
  await again.close();
});

test("a session of an older format gets the prompt and the tools of today once, and keeps its model", async () => {
  const paths = pathsFor({ HOME: runs.user, MINI_CLAUDE_HOME: runs.home }, runs.cwd);
  const imported = { agent: "Codex", id: "1", file: "/f", bytes: 3 };
  const old = { cwd: runs.cwd, model: "claude-haiku-5-5", imported, system: "Old." };
  await savedSession(paths, "older", "hi", { ...sessionWith("Old"), ...old, session: "older" });
  const { news, opened } = await once(["--resume=older"]);
  const { system } = opened.run.opening;
  expect(news[0]).toMatchObject({ type: "session", system, imported, model: old.model });
  expect(news[0]?.type === "session" && news[0].version).toBeGreaterThan(1);
  expect(JSON.stringify(runs.sent()?.tools)).not.toContain('"Old"');
  expect(types((await once(["--resume=older"])).news)).toEqual(["user", "assistant"]);
});

/** Its date is at least a day ahead of the one at the other end of the world. */
const [late, early] = ["Pacific/Kiritimati", "Etc/GMT+12"];
const dateIn = (zone: string): string => new Date().toLocaleDateString("sv", { timeZone: zone });

test("today is the local date, and the model is told once when a day begins", async () => {
  const zone = process.env["TZ"];
  try {
    process.env["TZ"] = early;
    const opened = await runs.open(
      [],
      Array.from({ length: 4 }, () => say("Ok.")),
    );
    const days: string[] = [];
    for (const now of [early, late, late, early]) {
      process.env["TZ"] = now;
      const { length } = opened.log.path;
      await turn(opened, prompt("hi"));
      days.push(/^Today: (\S+)$/m.exec(told(opened.log.path.slice(length)))?.[1] ?? "");
    }
    expect(days).toEqual([dateIn(early), dateIn(late), "", ""]);
    await opened.close();
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

/** What is said of a repository for which git gives these answers, by a part of its command. */
async function withGit(answers: Record<string, string>, ...flags: string[]): Promise<string> {
  const bin = mkdtempSync(join(runs.base, "bin-"));
  const cases = Object.entries(answers).map(([part, text]) => `*"${part}"*) printf '${text}';;`);
  const script = `#!/bin/sh\ncase "$*" in\n${cases.join("\n")}\n*) exit 1;;\nesac\n`;
  await Bun.write(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  const PATH = `${bin}:${process.env["PATH"]}`;
  return (await once(["--trust", ...flags], { env: { PATH } })).text;
}

test("git: branch, changed files, main branch and last commits", async () => {
  const on = { "rev-parse": "topic" };
  expect(await withGit({})).toContain("Git: not a repository");
  expect(await withGit(on)).toContain("Git: branch topic, changes unknown");
  expect(await withGit({ "rev-parse": "HEAD" })).toContain("branch none (detached HEAD), ");
  expect(await withGit({ "HEAD --short": "", ...on, status: "" })).toContain("topic, no changes");
  expect(await withGit({ ...on, status: " M a" })).toContain("1 file changed");
  expect(await withGit({ ...on, status: " M a\\n M b" })).toContain("2 files changed");
  const log = `a1 Mend the parser\\nb2 ${"x".repeat(300)}\\n`;
  const text = await withGit({ ...on, status: "", "refs/remotes": "origin/trunk", log });
  expect(text).toContain(
    "Git: branch topic (main branch: trunk), no changes\nLast commits:\n  a1 Mend the parser\n  b2 xxx",
  );
  expect(text).not.toContain("x".repeat(200));
  expect(await withGit({ "short HEAD": "fresh", "branch --list": "fresh\\nmaster" })).toContain(
    "Git: branch fresh, ",
  );
  expect(await withGit({ ...on, "branch --list": "main\\nmaster" })).toContain(
    "(main branch: main)",
  );
});

test("the system prompt and the tools name only tools that the run has", async () => {
  const parts = async (only?: string[], unattended = false) => {
    const flags = only ? [`--tools=${only.join()}`] : [];
    const plain = ["--settings", '{"scripts": "off"}', ...flags];
    const { run, close } = await runs.open(plain, [], { isUnattended: unattended });
    await close();
    const { system, tools } = run.opening;
    return { names: tools.map(({ name }) => name), text: system + JSON.stringify(tools) };
  };
  const { names, text } = await parts();
  // Three characters per token: more tokens than any tokenizer counts.
  expect(text.length / 3).toBeLessThan(4_500);
  expect(text).toContain("You are mini-claude");
  expect(text).not.toMatch(/\b(?:Script|WebSearch|ToolSearch)\b/);
  expect(names).toHaveLength(18);
  const habits: Record<string, RegExp> = {
    Bash: /background command|test, type checker/,
    Edit: /old_string/,
    TodoWrite: /todo list/,
    AskUserQuestion: /ask\./,
  };
  for (const removed of names) {
    const rest = await parts(names.filter((name) => name !== removed));
    expect(rest.text).not.toMatch(new RegExp(`\\b${removed}\\b`));
    expect(rest.text).not.toMatch(habits[removed] ?? /<!--/);
  }
  const readers = await parts(["Read", "Grep", "Glob"], true);
  expect(readers.text).not.toMatch(/before you change it|check your edit|what you ran|<!--/);
  expect(readers.text).toContain("choose what is most likely meant");
  expect(readers.names).toEqual(["Glob", "Grep", "Read"]);
});
