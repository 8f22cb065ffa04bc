import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usageReport } from "../../src/cli/usage-report.ts";
import { forkLog } from "../../src/log/fork.ts";
import { createLog } from "../../src/log/store.ts";
import type { SessionFact } from "../../src/protocol/entry.ts";

const sessions = mkdtempSync(join(tmpdir(), "usage-"));
afterAll(() => rmSync(sessions, { recursive: true }));

const here = join(sessions, "here");
const there = join(sessions, "there");

const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 };

async function session(
  folder: string,
  more: Partial<SessionFact> = {},
  model = "claude-sonnet-5-5",
) {
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
    nowMs,
    progress: () => {},
    signal: new AbortController().signal,
  });

test("calls are added up by time and project; forks and imports do not count twice", async () => {
  const file = await session(here);
  await session(there);
  await session(there, {}, "qwen3-coder");
  await session(there, { imported: { agent: "pi", id: "1", file: "/f", bytes: 1 } });
  forkLog(file, null, here, "forked");
  const { rows, sessions: count } = await report();
  const shown = Object.fromEntries(rows.map(({ name, calls, usd }) => [name, [calls, usd]]));
  expect(count).toBe(5);
  expect(shown["All sessions"]).toEqual([3, 4]);
  expect(shown["This project"]).toEqual([1, 2]);
  expect(shown["Last 7 days"]).toEqual([3, 4]);
  const later = await report(Date.now() + 8 * 86_400_000);
  const rowOf = (name: string) => later.rows.find((row) => row.name === name)?.calls;
  expect([rowOf("Today"), rowOf("Last 7 days"), rowOf("Last 30 days")]).toEqual([0, 0, 3]);
});

test("without sessions everything is zero", async () => {
  const { rows } = await usageReport({
    paths: { sessions: join(sessions, "nowhere"), projectSessions: here },
    nowMs: 0,
    progress: () => {},
    signal: new AbortController().signal,
  });
  expect(rows.every(({ calls, usd }) => calls === 0 && usd === 0)).toBe(true);
});
