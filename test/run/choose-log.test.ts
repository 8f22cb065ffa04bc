/** Which log a run writes to. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { chooseLog } from "../../src/run/open-run.ts";
import { sessionNamed, type SessionFlags } from "../../src/config/flags.ts";
import { pathsFor, type Paths } from "../../src/config/paths.ts";
import { listSessions } from "../../src/log/catalog.ts";
import type { LogStore } from "../../src/log/store.ts";
import type { SessionFact } from "../../src/protocol/entry.ts";
import { errorMessage } from "../../src/base/format.ts";
import { sessionWith } from "../facts.ts";
import { testFolder } from "../folder.ts";
import { savedSession } from "../saved-session.ts";

const base = testFolder("choose-log");
let root = "";
let paths: Paths;
const open: LogStore[] = [];

beforeEach(() => {
  root = mkdtempSync(join(base, "user-"));
  paths = pathsOf();
});
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
});

const made = (name: string, prompt?: string, began: Partial<SessionFact> = {}) =>
  savedSession(pathsOf(began.cwd), name, prompt, began);

const pathsOf = (cwd = root): Paths =>
  pathsFor({ HOME: root, MINI_CLAUDE_HOME: join(root, "home") }, cwd);

async function choose(flags: Partial<SessionFlags>, newName?: string): Promise<LogStore> {
  const log = await chooseLog({ resume: { kind: "new" }, fork: false, ...flags }, paths, {
    newName,
  });
  open.push(log);
  return log;
}

const latest = { resume: { kind: "latest" } } as const;
const named = (id: string) => ({ resume: { kind: "session", id } }) as const;

test("a new session has the name that a flag gives it, else the one that is proposed", async () => {
  expect((await choose({}, "proposed")).session).toBe("proposed");
  expect((await choose({ sessionId: "mine" }, "proposed")).session).toBe("mine");
  expect((await choose({})).session).not.toBe("");
});

test("a new session does not take the name of another", async () => {
  await made("mine");
  await expect(choose({ sessionId: "mine" })).rejects.toThrow("There is already a session mine");
});

test("an earlier session is the latest of the folder, or the named one", async () => {
  await made("2026-a");
  await made("2027-b");
  expect((await choose(latest)).path).toHaveLength(2);
  expect((await choose(named("2026"))).session).toBe("2026-a");
});

test("an earlier session of several megabytes says how much of it is read", async () => {
  await made("2026-a", "x".repeat(2_500_000));
  const told: unknown[] = [];
  const progress = (...how: unknown[]): void => void told.push(how);
  open.push(await chooseLog({ ...latest, fork: false }, paths, { progress }));
  expect(told).toEqual([[2, 3, "MB read"]]);
});

test("an earlier session is copied for a fork, under a name of its own", async () => {
  await made("2026-a");
  const fork = await choose({ ...latest, fork: true, sessionId: "copy" });
  expect([fork.session, fork.path.length]).toEqual(["copy", 2]);
});

test("where there is no earlier session, the error says what to leave out", async () => {
  await expect(choose(latest)).rejects.toThrow("no session yet; start one without --continue");
  await expect(choose({ resume: { kind: "pick" } })).rejects.toThrow(
    /^This folder has no session yet\.$/,
  );
});

test("of earlier sessions, without a name, the newest ten are listed, safe and short", async () => {
  for (let n = 10; n < 22; n++) await made(`2026-${n}`, `say\x07 ${"x".repeat(99)}`);
  const startedBy = { session: "2026-10", toolUse: "t", type: "Explore" };
  await made("2026-99", "look", { startedBy });
  const error = await choose({ resume: { kind: "pick" } }).then(() => "", errorMessage);
  const lines = error.split("\n");
  expect(lines[0]).toBe("--resume needs the name of a session:");
  expect(lines).toHaveLength(11);
  expect(lines[1]).toMatch(/^ {2}2026-\d\d {2}say x{55}…$/);
});

test("an earlier session that is not there is a usage error that says where to look", async () => {
  await made("2026-10", "hello");
  const error: unknown = await choose({ resume: { kind: "session", id: "nothing" } }).catch(String);
  expect(error).toStartWith("UsageError: No session");
  expect(error).toContain("mini-claude sessions list");
});

test("an earlier session of a folder that was renamed is offered, and continues here by name", async () => {
  await made("2026-old", "hi", { cwd: `${root}-before` });
  await made("2026-unrelated", "hi", { cwd: join(root, "elsewhere") });
  // Two begin with the year.
  for (const name of ["1999", "2026"])
    await expect(choose(named(name))).rejects.toThrow("No session of this folder is called");
  await expect(choose(latest)).rejects.toThrow(
    `If it was ${root}-before before, which is gone, continue its latest session here: mini-claude --resume 2026-old`,
  );
  const here = await choose(named("2026-old"));
  expect([here.session, here.path.length]).toEqual(["2026-old", 2]);
  expect(here.file).toBe(join(paths.projectSessions, "2026-old.jsonl"));
  await here.append({ ...sessionWith(), session: "2026-old", cwd: root });
  const [listed] = await listSessions(paths.projectSessions);
  expect(listed?.cwd).toBe(root);
});

test("an earlier session of a folder that was moved is offered, and moves with those of its agents, unless it is open or a file is in the way", async () => {
  const [cwd, elsewhere] = [join("/gone", basename(root)), "/gone/elsewhere"];
  const startedBy = { session: "2026-moved", toolUse: "t", type: "Explore" };
  const { file } = await made("2026-moved", "hi", { cwd });
  await made("2026-sub", "look", { cwd, startedBy });
  await made("2026-other", "look", { cwd: elsewhere, startedBy });
  await expect(choose(latest)).rejects.toThrow("--resume 2026-moved");
  writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid, started: "" }));
  await expect(choose(named("2026-moved"))).rejects.toThrow("2026-moved is open elsewhere");
  rmSync(`${file}.lock`);
  const inTheWay = join(paths.projectSessions, "2026-moved.jsonl");
  await Bun.write(inTheWay, "no session");
  await expect(choose(named("2026-moved"))).rejects.toThrow(`There is already a file ${inTheWay}`);
  rmSync(inTheWay);
  await choose(named("2026-moved"));
  const here = (await listSessions(paths.projectSessions)).map(({ session }) => session);
  expect(here.toSorted()).toEqual(["2026-moved", "2026-sub"]);
});

test("an earlier session of a folder that is still there stays there", async () => {
  mkdirSync(join(root, "b"));
  await made("2026-b", "hi", { cwd: join(root, "b") });
  await expect(choose(named("2026-b"))).rejects.toThrow("with --all, also those of other folders");
});

test("an earlier session of a later version cannot be resumed, and stays closed", async () => {
  await made("later", "hi", { version: 99 });
  await expect(choose(latest)).rejects.toThrow("It cannot be resumed; export or fork it instead.");
});

test("a name selects that session, none a new one", () => {
  expect(sessionNamed("a")).toEqual({ resume: { kind: "session", id: "a" }, fork: false });
  expect(sessionNamed(null)).toEqual({ resume: { kind: "new" }, fork: false });
});
