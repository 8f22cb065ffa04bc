import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBilled, sessionWork, usageReport } from "../../src/log/usage.ts";
import { forkLog } from "../../src/log/new-session.ts";
import { createLog } from "../../src/log/store.ts";
import { findPrices } from "../../src/model/catalog.ts";
import type { Usage } from "../../src/protocol/model.ts";
import type { SessionFact } from "../../src/protocol/entry.ts";

const sessions = mkdtempSync(join(tmpdir(), "usage-"));
afterAll(() => rmSync(sessions, { recursive: true }));

const here = join(sessions, "here");
const there = join(sessions, "there");

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

const report = (nowMs = Date.now()) =>
  usageReport({
    paths: { sessions, projectSessions: here },
    findPrices: findPrices,
    nowMs,
    progress: () => {},
    signal: new AbortController().signal,
  });

test("calls are added up by time and project; forks and imports do not count twice", async () => {
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
  const later = await report(Date.now() + 8 * 86_400_000);
  const findCalls = (name: string) => later.rows.find((row) => row.name === name)?.calls;
  expect([findCalls("Today"), findCalls("Last 7 days"), findCalls("Last 30 days")]).toEqual([
    0, 0, 3,
  ]);
});

test("the turns and the cost of one session", async () => {
  const folder = mkdtempSync(join(sessions, "one-"));
  const file = await session(folder, 1_000_000);
  const { size } = statSync(file);
  expect(await sessionWork({ file, bytes: size }, findPrices)).toEqual({ turns: 0, usd: 2 });
});

test("a call counts for exactly seven and thirty days", async () => {
  const folder = mkdtempSync(join(tmpdir(), "usage-days-"));
  const projectSessions = join(folder, "here");
  const file = await session(projectSessions, 1_000);
  const [call] = await Array.fromAsync(readBilled(file));
  const countsAfter = async (ms: number) => {
    const { rows } = await usageReport({
      paths: { sessions: folder, projectSessions },
      findPrices: findPrices,
      nowMs: (call?.atMs ?? 0) + ms,
      progress: () => {},
      signal: new AbortController().signal,
    });
    return rows.filter(({ calls }) => calls > 0).map(({ name }) => name);
  };
  const always = ["This project", "All sessions"];
  const dayMs = 86_400_000;
  expect(await countsAfter(7 * dayMs)).toEqual(["Last 7 days", "Last 30 days", ...always]);
  expect(await countsAfter(7 * dayMs + 1)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs)).toEqual(["Last 30 days", ...always]);
  expect(await countsAfter(30 * dayMs + 1)).toEqual(always);
  rmSync(folder, { recursive: true });
});

test("today begins at midnight", async () => {
  const folder = mkdtempSync(join(tmpdir(), "usage-today-"));
  const midnight = new Date(2026, 0, 15).getTime();
  for (const atMs of [midnight - 1, midnight]) {
    const file = await session(join(folder, "here"), 1_000);
    const at = `"at":"${new Date(atMs).toISOString()}"`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"at":"[^"]*"/g, at));
  }
  const { rows } = await usageReport({
    paths: { sessions: folder, projectSessions: "" },
    findPrices: findPrices,
    nowMs: midnight + 80_000_000,
    progress: () => {},
    signal: new AbortController().signal,
  });
  expect(rows.slice(0, 2)).toMatchObject([{ calls: 1 }, { calls: 2 }]);
  rmSync(folder, { recursive: true });
});

test("tokens are counted as they were sent, cached and answered", async () => {
  const folder = mkdtempSync(join(tmpdir(), "usage-tokens-"));
  const others = { cacheRead: 200, cacheWrite: 30, output: 4 };
  await session(join(folder, "here"), 1_000, {}, "claude-sonnet-5-5", others);
  const paths = { sessions: folder, projectSessions: join(folder, "here") };
  const progress: [number, number][] = [];
  const { rows } = await usageReport({
    paths,
    findPrices: findPrices,
    nowMs: Date.now(),
    progress: (done, of) => progress.push([done, of]),
    signal: new AbortController().signal,
  });
  for (const row of rows)
    expect(row).toMatchObject({ sentTokens: 1_230, cachedTokens: 200, answerTokens: 4, calls: 1 });
  expect(progress).toEqual([[0, 1]]);
  const stopped = await usageReport({
    paths,
    findPrices: findPrices,
    nowMs: Date.now(),
    progress: () => undefined,
    signal: AbortSignal.abort(),
  });
  expect(stopped.rows.every(({ calls }) => calls === 0)).toBe(true);
  rmSync(folder, { recursive: true });
});

test("a cost says that it is an estimate where one of its prices is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "usage-estimates-"));
  await session(join(folder, "here"), 1_000);
  await session(join(folder, "there"), 1_000, {}, "gpt-5.5");
  const { rows } = await usageReport({
    paths: { sessions: folder, projectSessions: join(folder, "here") },
    findPrices: findPrices,
    nowMs: Date.now(),
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  const estimates = rows.filter(({ isEstimate }) => isEstimate).map(({ name }) => name);
  expect(estimates).toEqual(["Today", "Last 7 days", "Last 30 days", "All sessions"]);
  rmSync(folder, { recursive: true });
});

test("without sessions everything is zero", async () => {
  const { rows } = await usageReport({
    paths: { sessions: join(sessions, "nowhere"), projectSessions: here },
    findPrices: findPrices,
    nowMs: 0,
    progress: () => {},
    signal: new AbortController().signal,
  });
  expect(rows.every(({ calls, usd }) => calls === 0 && usd === 0)).toBe(true);
});
