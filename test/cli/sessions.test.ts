import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../src/config/flags.ts";
import { pathsFor } from "../../src/config/paths.ts";
import { createLog } from "../../src/log/store.ts";
import { runSessions } from "../../src/cli/sessions.ts";

const root = await mkdtemp(join(tmpdir(), "sessions-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const paths = pathsFor({ HOME: root }, join(root, "project"));

async function session(name: string, words: string): Promise<string> {
  const log = createLog(paths.projectSessions, name);
  await log.append({
    type: "session",
    version: 1,
    session: name,
    cwd: root,
    model: "m",
    system: "s",
    tools: [],
  });
  await log.append({ type: "user", content: [{ type: "text", text: words }] });
  await log.close();
  return log.file;
}

const run = async (...args: string[]): Promise<string> => {
  let text = "";
  expect(await runSessions(args, paths, (more) => (text += more))).toBe(0);
  return text;
};

test("lists, shows and exports by the beginning of a name; hostile titles stay in their line", async () => {
  await session("20260101-a", "first\u001b[2J words");
  await session("20260102-b", "second words");
  const list = await run("list");
  expect(list.trim().split("\n")).toHaveLength(2);
  expect(list).not.toContain("\u001b");
  expect(await run("show", "20260102")).toContain("second words");
  expect(await run("export", "20260101-a", "--format", "jsonl")).toContain('"role":"user"');
  expect(await run("export", "20260101-a", "--format", "html")).toContain("<html");
});

test("what cannot be meant is one sentence", () => {
  for (const args of [
    ["show", "2026"],
    ["show", "nothing"],
    ["export", "20260101-a", "--format", "pdf"],
    ["prune"],
    ["lsit"],
    ["list", "--frob"],
  ]) {
    expect(runSessions(args, paths, () => {})).rejects.toBeInstanceOf(UsageError);
  }
});

test("prune removes what is old, and nothing else", async () => {
  const old = await session("20250101-old", "old");
  await utimes(old, new Date(0), new Date(0));
  expect(await run("prune", "--days", "30")).toContain("Removed 1 sessions");
  const list = await run("list");
  expect(list).not.toContain("20250101-old");
  expect(list).toContain("20260101-a");
});
