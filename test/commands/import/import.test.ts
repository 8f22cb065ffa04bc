/** The command without its destination: names, folders, times, and files in every state. */

import { expect, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { runImport } from "../../../src/commands/import/import.ts";
import { disk } from "../../../src/base/durable.ts";
import { ClaudeSession, shop } from "./claude-lines.ts";
import { CodexSession } from "./codex-lines.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("import");
const sessions = join(root, "sessions");

/** `log`: the file of the new session. */
function run(...args: string[]): { code: number; text: string; log: string } {
  let text = "";
  const add = (more: string): void => void (text += more);
  const io = { out: add, err: add, cwd: root, paths: { sessions } };
  const code = runImport(args, io, { system: "s", tools: [], model: "m" });
  const [, name = ""] = /^(?:imported|known)  (\S+)/m.exec(text) ?? [];
  const [log = ""] = new Bun.Glob(`*/${name}.jsonl`).scanSync({ cwd: sessions, absolute: true });
  return { code, text, log };
}

function file(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

test("ignores a folder that is not a path of this machine", () => {
  const filedUnder = (cwd: string, name: number): unknown => {
    const session = new ClaudeSession(`folder-${name}`, cwd);
    session.user("hello");
    const { log } = run(file(`folder-${name}.jsonl`, session.text));
    return JSON.parse(readFileSync(log, "utf8").split("\n", 1)[0] ?? "").cwd;
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
  for (const { text } of [session, early]) {
    const { code, log } = run(file("absurd.jsonl", text));
    expect(code).toBe(0);
    expect(basename(log)).toMatch(/^\d+-\d+-[0-9a-f]{6}\.jsonl$/);
    const { mtimeMs } = statSync(log);
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
  const { log, text } = run(path);
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(basename(log)).toStartWith("20231114-221320-");
  expect(statSync(log).mtimeMs).toBe(1_700_000_000_000);
});

test("survives cyclic links, pipes, missing files and a full disk", () => {
  const folder = mkdtempSync(join(root, "walk-"));
  symlinkSync(folder, join(folder, "round"));
  symlinkSync("/nowhere", join(folder, "gone.jsonl"));
  writeFileSync(join(folder, "good.jsonl"), new CodexSession("walked").text);
  Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
  const { code, text } = run(folder);
  expect(code).toBe(1);
  expect(text).toContain("gone.jsonl: no such file or folder\n");
  expect(text).toEndWith("1 skipped, 1 failed\n");
  expect(run(join(folder, "pipe")).text).toContain("pipe: it is not a regular file\n");

  const path = file("shop.jsonl", shop().text);
  const { writeSync } = disk;
  disk.writeSync = () => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const refused = run(path);
  disk.writeSync = writeSync;
  expect(refused.text).toMatch(/: The session \S+ cannot be written: the disk is full\.\n/);
  const left = readdirSync(sessions, { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => /part|lock/.test(name))).toEqual([]);
  expect(run(path).code).toBe(0);
});

test("prints plain lines, whatever a file contains", () => {
  const session = new ClaudeSession("evil", "/work/\u001b[31mred");
  session.user("\u001b]0;title\u0007\u001b[31mred\u202e\n\tnext\u0000");
  const { text } = run(file("\u009b2J\u202e\u{e0041}.jsonl", session.text), "\u009b2J\u202e");
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain("red<U+202E> next");
  expect(text).toContain("failed");
});
