import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { count, excerpt, openDebugLog } from "../../../src/app/debug/debug-log.ts";

const root = mkdtempSync(join(tmpdir(), "debug-log-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("lines are appended with the time; control characters cannot forge another line", () => {
  const file = join(root, "new", "debug.log");
  const log = openDebugLog(file, [], () => Date.UTC(2026, 0, 2));
  log.write("a", "one\ntwo\u001b[2J");
  log.write("longtopic", "x");
  expect(readFileSync(file, "utf8")).toBe(
    "2026-01-02T00:00:00.000Z  a         one two [2J\n2026-01-02T00:00:00.000Z  longtopic x\n",
  );
});

test("a file that others could read becomes private and keeps its lines", () => {
  const file = join(root, "old.log");
  writeFileSync(file, "before\n");
  chmodSync(file, 0o644);
  openDebugLog(file, []).write("a", "after");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toMatch(/^before\n.* after\n$/);
});

test("secrets are replaced wherever they occur; short values are not secrets", () => {
  const file = join(root, "secrets.log");
  const log = openDebugLog(file, ["12345678", "1234567", ""]);
  log.write("a", "x12345678y 12345678 1234567");
  expect(readFileSync(file, "utf8")).toEndWith(" x[secret]y [secret] 1234567\n");
});

test("a full disk does not throw", () => {
  const log = openDebugLog("/dev/full", []);
  expect(() => log.write("a", "x")).not.toThrow();
});

test("numbers and excerpts are short", () => {
  expect([count(1234.6), count(7)]).toEqual(["1,235", "7"]);
  expect(excerpt("x".repeat(200))).toBe("x".repeat(200));
  expect(excerpt("x".repeat(201))).toBe(`${"x".repeat(199)}…`);
  expect(excerpt(`${"x".repeat(199)}😀`).isWellFormed()).toBe(true);
});
