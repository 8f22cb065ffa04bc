import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CostsElsewhere, readBilled, sessionWork, usageReport } from "../../src/log/usage.ts";
import { forkLog } from "../../src/log/store.ts";
import { createLog } from "../../src/log/store.ts";
import { findPrices } from "../../src/model/catalog.ts";
import type { Usage } from "../../src/protocol/model.ts";
import type { SessionFact } from "../../src/protocol/entry.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();

/** A home with sessions of two projects. */
function newHome() {
  const sessions = mkdtempSync(join(root, "home-"));
  const [here, there] = [join(sessions, "here"), join(sessions, "there")];
  const report = async (options: Partial<Parameters<typeof usageReport>[0]> = {}) =>
    usageReport({
      paths: { sessions, projectSessions: here },
      findPrices,
      nowMs: Date.now(),
      signal: new AbortController().signal,
      ...options,
    });
  return { here, there, paths: { sessions, projectSessions: here }, report };
}

async function session(
  folder: string,
  input: number,
  more: Partial<SessionFact> = {},
  model = "claude-sonnet-5-5",
  others: Partial<Usage> = {},
) {
  const usage = { input, cacheRead: 0, cacheWrite: 0, output: 0, ...others };
  const log = createLog(folder);
  const first = { version: 1, session: "s", cwd: "/w", model, system: "", tools: [] };
  await log.append({ type: "session", ...first, ...more });
  const sentAt = new Date().toISOString();
  const content = [{ type: "text" as const, text: "Hello." }];
  await log.append({ type: "assistant", content, model, usage, stop: "end_turn", sentAt });
  await log.close();
  return log.file;
}

const dayMs = 86_400_000;

test("calls are added up by time and project; forks and imports do not count twice", async () => {
  const { here, there, report } = newHome();
  const file = await session(here, 1_000_000);
  await session(there, 500_000);
  await session(there, 250_000, {}, "qwen3-coder");
  await session(there, 1_000_000, { imported: { agent: "Codex", id: "1", file: "/f", bytes: 1 } });
  forkLog(file, null, here, "forked");
  const { rows, sessions: count } = await report();
  const shown = Object.fromEntries(rows.map(({ name, calls, usd }) => [name, [calls, usd]]));
  expect(count).toBe(5);
  expect(shown["All sessions"]).toEqual([3, 3]);
  expect(shown["This project"]).toEqual([1, 2]);
  expect(shown["Last 7 days"]).toEqual([3, 3]);
  const { size } = statSync(file);
  expect(await sessionWork({ file, bytes: size }, findPrices)).toEqual({ turns: 0, usd: 2 });
});

test("a call counts for exactly seven and thirty days", async () => {
  const { here, report } = newHome();
  const [call] = await Array.fromAsync(readBilled(await session(here, 1_000)));
  const countsAfter = async (ms: number) =>
    (await report({ nowMs: (call?.atMs ?? 0) + ms })).rows
      .filter(({ calls }) => calls > 0)
      .map(({ name }) => name);
  const always = ["This project", "All sessions"];
  expect(await countsAfter(7 * dayMs)).toEqual(["Last 7 days", "Last 30 days", ...always]);
  expect(await countsAfter(7 * dayMs + 1)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs + 1)).toEqual(always);
});

test("today begins at midnight", async () => {
  const { here, report } = newHome();
  const midnight = new Date(2026, 0, 15).getTime();
  for (const atMs of [midnight - 1, midnight]) {
    const file = await session(here, 1_000);
    const at = `"at":"${new Date(atMs).toISOString()}"`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"at":"[^"]*"/g, at));
  }
  const { rows } = await report({ nowMs: midnight + 80_000_000 });
  expect(rows.slice(0, 2)).toMatchObject([{ calls: 1 }, { calls: 2 }]);
});

test("tokens are counted as they were sent, cached and answered, until it is stopped", async () => {
  const { here, report } = newHome();
  await session(here, 1_000, {}, undefined, { cacheRead: 200, cacheWrite: 30, output: 4 });
  const { rows } = await report();
  for (const row of rows)
    expect(row).toMatchObject({ sentTokens: 1_230, cachedTokens: 200, answerTokens: 4, calls: 1 });
  const nothing = await report({ signal: AbortSignal.abort() });
  expect(nothing.rows.every(({ calls, usd }) => calls === 0 && usd === 0)).toBe(true);
});

test("a cost says that it is an estimate where one of its prices is", async () => {
  const { here, there, report } = newHome();
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
  const { here, there, paths } = newHome();
  const nowMs = new Date().setHours(12, 0, 0, 0);
  const timed = async (folder: string, name: string, atMs: number): Promise<void> => {
    const file = await session(folder, 500_000, { session: name });
    const at = `"at":"${new Date(atMs).toISOString()}"`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"at":"[^"]*"/g, at));
  };
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  const own = { session: "mine", sinceMs: midnight + 1_000 };
  const costs = new CostsElsewhere({ paths, findPrices, own });
  expect(await costs.read(nowMs)).toEqual({ day: 0, project: 0 });
  await timed(here, "yesterdays", midnight - 1);
  await timed(there, "elsewhere", midnight);
  expect(await costs.read(nowMs)).toEqual({ day: 1, project: 1 });
  // Of a session that goes on, what came before this run; the rest is counted elsewhere.
  await timed(here, "mine", own.sinceMs - 1);
  await timed(here, "mine", own.sinceMs);
  expect(await costs.read(nowMs)).toEqual({ day: 2, project: 2 });
});
