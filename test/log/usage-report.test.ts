import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathsFor } from "../../src/config/paths.ts";
import { forkLog } from "../../src/log/store.ts";
import type { Usage } from "../../src/protocol/model.ts";
import type { SessionFact } from "../../src/protocol/entry.ts";
import { folders, openServices } from "../app/services/open.ts";
import { answer, makeReport, sessionWith } from "../facts.ts";
import { prompt, turn } from "../run/opened.ts";
import { closedLog } from "../saved-session.ts";

const newFolders = folders("usage");
afterEach(() => void mock.restore());

/** A home with sessions of two projects, and a run that counts them. */
async function newHome(...args: string[]) {
  const { home, cwd } = newFolders();
  const opened = await openServices({ home, cwd, args: ["--offline", ...args] });
  const paths = pathsFor({ HOME: home, MINI_CLAUDE_HOME: join(home, ".mini-claude") }, cwd);
  const report = async (nowMs?: number, signal = new AbortController().signal) => {
    const clock = nowMs === undefined ? null : spyOn(Date, "now").mockReturnValue(nowMs);
    const read = opened.services.usage?.(signal);
    clock?.mockRestore();
    const usage = await read;
    if (!usage) throw new Error("There is no usage.");
    return usage;
  };
  const [here, there] = [paths.projectSessions, join(paths.sessions, "there")];
  return { here, there, report, opened };
}

async function session(
  folder: string,
  input: number,
  more: Partial<SessionFact> = {},
  model = "claude-sonnet-5-5",
  others: Partial<Usage> = {},
) {
  const usage = { input, cacheRead: 0, cacheWrite: 0, output: 0, ...others };
  const facts = [{ ...sessionWith(), model, ...more }, answer(usage, [], { model })];
  return (await closedLog(folder, facts)).file;
}

/** A session whose entries are of this time. */
async function sessionAt(atMs: number, ...args: Parameters<typeof session>): Promise<void> {
  const file = await session(...args);
  const at = `"at":"${new Date(atMs).toISOString()}"`;
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"at":"[^"]*"/g, at));
}

const dayMs = 86_400_000;

test("calls are added up by time and project; forks and imports do not count twice", async () => {
  const { here, there, report, opened } = await newHome();
  const file = await session(here, 1_000_000);
  await session(there, 500_000);
  const unpriced = await session(here, 250_000, {}, "qwen3-coder");
  const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const spent = { model: "claude-sonnet-5-5", usage, usd: 2 };
  await closedLog(there, [sessionWith(), { ...makeReport({}), spent }]);
  // A call that failed.
  await session(there, 0);
  await session(there, 1_000_000, { imported: { agent: "Codex", id: "1", file: "/f", bytes: 1 } });
  forkLog(file, null, here, "forked");
  const { rows, sessions: count } = await report();
  const shown = Object.fromEntries(rows.map(({ name, calls, usd }) => [name, [calls, usd]]));
  expect(count).toBe(7);
  expect(shown["All sessions"]).toEqual([4, 5]);
  expect(shown["This project"]).toEqual([2, 2]);
  expect(shown["Last 7 days"]).toEqual([4, 5]);
  const listed = await opened.services.sessions?.("here");
  for (const [log, usd] of [
    [file, 2],
    [unpriced, 0],
  ] as const) {
    const info = listed?.find((one) => log.endsWith(`${one.session}.jsonl`));
    expect(await info?.readWork()).toEqual({ turns: 0, usd });
  }
});

test("a call counts for exactly seven and thirty days", async () => {
  const { here, report } = await newHome();
  const file = await session(here, 1_000);
  const [, at = ""] = /.*"at":"([^"]*)"/s.exec(readFileSync(file, "utf8")) ?? [];
  const countsAfter = async (ms: number) =>
    (await report(Date.parse(at) + ms)).rows
      .filter(({ calls }) => calls > 0)
      .map(({ name }) => name);
  const always = ["This project", "All sessions"];
  expect(await countsAfter(7 * dayMs)).toEqual(["Last 7 days", "Last 30 days", ...always]);
  expect(await countsAfter(7 * dayMs + 1)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs + 1)).toEqual(always);
});

test("today begins at midnight", async () => {
  const { here, report } = await newHome();
  const midnight = new Date(2026, 0, 15).getTime();
  for (const atMs of [midnight - 1, midnight]) await sessionAt(atMs, here, 1_000);
  const { rows } = await report(midnight + 80_000_000);
  expect(rows.slice(0, 2)).toMatchObject([{ calls: 1 }, { calls: 2 }]);
});

test("tokens are counted as they were sent, cached and answered, until it is stopped", async () => {
  const { here, report } = await newHome();
  await session(here, 1_000, {}, undefined, { cacheRead: 200, cacheWrite: 30, output: 4 });
  const { rows } = await report();
  for (const row of rows)
    expect(row).toMatchObject({ sentTokens: 1_230, cachedTokens: 200, answerTokens: 4, calls: 1 });
  const nothing = await report(undefined, AbortSignal.abort());
  expect(nothing.rows.every(({ calls, usd }) => calls === 0 && usd === 0)).toBe(true);
});

test("a cost says that it is an estimate where one of its prices is", async () => {
  const { here, there, report } = await newHome();
  await session(here, 1_000);
  await session(there, 1_000, {}, "gpt-5.5");
  const estimates = (await report()).rows.filter(({ isEstimate }) => isEstimate);
  expect(estimates.map(({ name }) => name)).toEqual([
    "Today",
    "Last 7 days",
    "Last 30 days",
    "All sessions",
  ]);
});

test("a budget counts what other runs cost today and in the project, each call once", async () => {
  // The real time: a clock that is set back stays ahead in this process for the tests after this one.
  const startMs = Date.now();
  const settings = JSON.stringify({ budget: { day: 1_000, project: 1_000 } });
  const { here, there, opened } = await newHome("--settings", settings);
  const timed = (folder: string, session: string, atMs: number) =>
    sessionAt(atMs, folder, 500_000, { session });
  /** What was spent, as it is known before a call. */
  const spent = async (): Promise<Record<string, number>> => {
    const events = await turn(opened, prompt("who are you?"));
    const last = events.findLast((event) => event.type === "budget");
    return Object.fromEntries(last?.budget.map(({ scope, spentUsd }) => [scope, spentUsd]) ?? []);
  };
  expect(await spent()).toEqual({ day: 0, project: 0 });
  const midnight = new Date(startMs).setHours(0, 0, 0, 0);
  await timed(here, "yesterdays", midnight - 1);
  await timed(there, "elsewhere", midnight);
  expect(await spent()).toEqual({ day: 1, project: 1 });
  // Of a session that goes on, what came before this run; the rest is counted elsewhere.
  await timed(here, opened.log.session, startMs - 1);
  await timed(here, opened.log.session, Date.now());
  await timed(there, "meanwhile", Date.now());
  expect(await spent()).toEqual({ day: 3, project: 2 });
});
