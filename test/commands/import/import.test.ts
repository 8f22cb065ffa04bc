/** The command without its destination: names, folders, times, and files in every state. */

import { expect, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { formatResult, runImport, type ImportResult } from "../../../src/commands/import/import.ts";
import { disk } from "../../../src/base/durable.ts";
import { ClaudeSession, shop } from "./claude-lines.ts";
import { CodexSession } from "./codex-lines.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("import");
const sessions = join(root, "sessions");

function run(args: string[]): { code: number; out: string; outcomes: ImportResult[] } {
  let out = "";
  const io = {
    out: (text: string) => void (out += text),
    err: () => undefined,
    cwd: root,
    paths: { sessions },
  };
  const destination = { system: "s", tools: [], model: "m" };
  const code = runImport(["--json", ...args], io, destination);
  const lines = out.split("\n").filter((line) => line !== "");
  return { code, out, outcomes: lines.map((line) => JSON.parse(line)) };
}

function file(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

test("ignores a folder that is not a path of this machine", () => {
  const filedUnder = (cwd: string, name: number): string | undefined => {
    const session = new ClaudeSession(`folder-${name}`, cwd);
    session.user("hello");
    return run([file(`folder-${name}.jsonl`, session.text)]).outcomes[0]?.cwd ?? undefined;
  };
  const odd = ["", "relative/x", "C:\\Users\\x", "/a\0b", `/${"x".repeat(5_000)}`];
  expect(odd.map(filedUnder)).toEqual(odd.map(() => root));
  expect(filedUnder("/work/../work/shop/", 8)).toBe("/work/shop");
  expect(filedUnder("/", 9)).toBe("/");
});

test("absurd times and ids still give a valid name and place in the list", () => {
  const session = new ClaudeSession("../../../x", "/../../etc");
  session.user("hello", { timestamp: "+275760-09-13T00:00:00.000Z" });
  const early = new CodexSession("\0/..");
  early.user("hello");
  for (const line of early.lines) line["timestamp"] = "-200000-01-01T00:00:00.000Z";
  Object.assign(early.lines[0]?.["payload"] ?? {}, { timestamp: "-200000-01-01T00:00:00.000Z" });
  const { outcomes } = run([file("late.jsonl", session.text), file("early.jsonl", early.text)]);
  for (const { status, session: name, log } of outcomes) {
    expect(status).toBe("imported");
    expect(name).toMatch(/^\d+-\d+-[0-9a-f]{6}$/);
    expect(log?.startsWith(`${sessions}/`)).toBe(true);
    const { mtimeMs } = statSync(log ?? "");
    expect(mtimeMs).toBeLessThanOrEqual(Date.now());
    expect(mtimeMs).toBeGreaterThanOrEqual(0);
  }
  expect(readdirSync(root)).not.toContain("etc");
});

test("a session without times is dated by its file", () => {
  const session = new ClaudeSession("timeless");
  session.user("hello", { timestamp: "yesterday" });
  const path = file("timeless.jsonl", session.text);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const [outcome] = run([path]).outcomes;
  expect(outcome?.session).toStartWith("20231114-221320-");
  expect(statSync(outcome?.log ?? "").mtimeMs).toBe(1_700_000_000_000);
});

test("survives cyclic links, pipes, missing files and a full disk", () => {
  const folder = mkdtempSync(join(root, "walk-"));
  symlinkSync(folder, join(folder, "round"));
  symlinkSync("/nowhere", join(folder, "gone.jsonl"));
  writeFileSync(join(folder, "good.jsonl"), new CodexSession("walked").text);
  Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
  const { code, outcomes } = run([folder]);
  expect(code).toBe(1);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["failed", "skipped"]);
  expect(run([join(folder, "pipe")]).outcomes[0]).toMatchObject({
    status: "failed",
    reason: "it is not a regular file",
  });

  const path = file("shop.jsonl", shop().text);
  const { writeSync } = disk;
  disk.writeSync = () => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const [refused] = run([path]).outcomes;
  disk.writeSync = writeSync;
  expect(refused).toMatchObject({
    status: "failed",
    reason: expect.stringMatching(/^The session \S+ cannot be written: the disk is full\.$/),
  });
  const left = readdirSync(sessions, { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => /part|lock/.test(name))).toEqual([]);
  expect(run([path]).code).toBe(0);
});

test("prints plain lines, whatever a file contains", () => {
  const evil = "\u001b]0;title\u0007\u001b[31mred\u202e\n\tnext\u0000";
  const line = formatResult({
    file: evil,
    status: "imported",
    reason: evil,
    session: "s",
    title: evil,
    cwd: evil,
    entries: 1,
    skipped: 3,
  });
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(line).toContain("red<U+202E> next");
  const odd = "\u009b2J\u202e\u{e0041}x";
  const { out, outcomes } = run([odd]);
  expect(out.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(outcomes).toMatchObject([{ file: odd, status: "failed" }]);
});
