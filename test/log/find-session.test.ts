import { expect, test } from "bun:test";
import { findSession, type SessionInfo } from "../../src/log/catalog.ts";

const describeSession = (session: string): SessionInfo => ({
  session,
  file: `/sessions/${session}.jsonl`,
  cwd: "/w",
  model: "m",
  title: "",
  firstPrompt: "",
  changedMs: 0,
  bytes: 0,
  usedTokens: null,
  entries: 1,
  busy: false,
  startedBy: null,
});
const sessions = ["2026-fix", "2026-fix-more", "2025-other"].map(describeSession);

test("a session is found by its name, even when others begin with it", () => {
  expect(findSession(sessions, "2026-fix").session).toBe("2026-fix");
});

test("a session is found by a unique prefix", () => {
  expect(findSession(sessions, "2026-fix-").session).toBe("2026-fix-more");
  expect(findSession(sessions, "2025").session).toBe("2025-other");
});

test("a prefix of several sessions, of none, or no name at all is an error", () => {
  expect(() => findSession(sessions, "2026")).toThrow("matches 2 sessions; use a longer prefix");
  expect(() => findSession(sessions, "2024")).toThrow("No session of this folder is called “2024”");
  expect(() => findSession(sessions, "")).toThrow("No session");
});
