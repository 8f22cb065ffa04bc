/** The program as a user runs it: import, list, show, resume. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { call, ClaudeSession, text } from "./claude-lines.ts";
import { CodexSession } from "./codex-lines.ts";

const box = inProcess(await sandbox("import-bin"));
afterAll(box.remove);
const { home, root } = box;
const project = join(root, "shop");
mkdirSync(project);
writeFileSync(join(project, "till.ts"), "export const countTheTill = () => 42;\n");

const run = (args: string[]) => box.run(args, { cwd: project });

function claude(): ClaudeSession {
  const session = new ClaudeSession("../../evil/\u001b[2J", project);
  session.user("who counts the till?");
  session.answer("m1", [call("t1", "Read", { file_path: join(project, "till.ts") })]);
  session.result("t1", "export const countTheTill = () => 41;");
  session.answer("m2", [text("countTheTill does, in till.ts.")]);
  return session;
}

/** Every log below the sessions' folder. */
const logs = (): string[] =>
  readdirSync(join(home, "sessions"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );

const store = join(root, "theirs");
const source = join(store, "projects", "a.jsonl");

test("imports a folder of both agents, then lists, shows and resumes", async () => {
  mkdirSync(join(store, "projects", "deeper"), { recursive: true });
  writeFileSync(source, claude().text);
  const short = new ClaudeSession("short", project);
  short.user("hello");
  writeFileSync(join(store, "projects", "deeper", "b.jsonl"), short.text);
  const codex = new CodexSession("codex-1", "C:\\elsewhere");
  codex.user("hello from codex");
  writeFileSync(join(store, "c.jsonl"), `${codex.text}{"half`);
  const side = new ClaudeSession("s", project);
  side.user("do my work", { isSidechain: true, agentId: "a" });
  writeFileSync(join(store, "agent.jsonl"), side.text);
  writeFileSync(join(store, "other.jsonl"), '{"a":1}\n');
  const before = readFileSync(source);

  const imported = await run(["import", store]);
  expect(imported.code).toBe(0);
  expect(imported.out.trim().split("\n")).toHaveLength(3);
  expect(imported.out).toMatch(/ {2}9 entries {2}Claude Code {2}“who counts the till\?”/);
  expect(imported.out).toContain("its folder is unknown");
  expect(imported.out).not.toContain("\u001b");
  expect(imported.err).toContain("3 imported, 2 skipped");
  expect(readFileSync(source)).toEqual(before);
  expect(logs()).toHaveLength(3);
  for (const log of logs()) {
    const path = join(home, "sessions", log);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // The prompt is that of the tools, without the lines about others.
    expect(readFileSync(path, "utf8").split("\n", 1)[0]).not.toContain("<!--");
  }

  const list = await run(["sessions", "list"]);
  const [, id = ""] = /^(\S+)  2025-10-01 .*  who counts the till\?$/m.exec(list.out) ?? [];
  const shown = await run(["sessions", "show", id]);
  expect(shown.out).toContain("countTheTill does, in till.ts.");
  expect(shown.out).toContain("Imported from Claude Code");

  const on = await run(["-p", "--offline", "--resume", id, "where is countTheTill defined?"]);
  expect(on.err).toContain(id);
  expect(on.out).toContain("till.ts:1");
  expect(on.code).toBe(0);
  expect((await run(["sessions", "show", id])).out).toContain("till.ts:1");
});

test("imports nothing twice, and a session that has grown beside its earlier import", async () => {
  const known = await run(["import", source]);
  expect(known.out).toMatch(/^known .* Claude Code .*already imported/);
  expect(known.code).toBe(0);
  const short = join(store, "projects", "deeper", "b.jsonl");
  const longer = new ClaudeSession("short", project);
  longer.user("hello");
  longer.user("more");
  writeFileSync(short, longer.text);
  expect((await run(["import", short])).out).toStartWith("imported");
  expect(logs()).toHaveLength(4);
  expect((await run(["import", short])).out).toStartWith("known");
});

test("a file without a session is named, and the code says so", async () => {
  expect((await run(["import"])).code).toBe(2);
  const none = { code: 1, out: "", err: "No sessions found.\n" };
  expect(await run(["import", project])).toEqual(none);
  expect(await run(["import", join(store, "other.jsonl")])).toMatchObject({
    code: 1,
    err: expect.stringContaining("contains no session of Claude Code or Codex"),
  });
  expect((await run(["import", join(store, "agent.jsonl")])).code).toBe(0);
});
