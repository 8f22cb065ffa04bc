/** `mini-claude sessions`: lists, searches, shows, exports and stops. */

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathsFor } from "../../../src/config/paths.ts";
import type { Fact, SessionFact } from "../../../src/protocol/entry.ts";
import { sandbox } from "../../bin.ts";
import { inProcess, runInProcess } from "../../in-process.ts";
import { assistantFact, sessionFact, userFact } from "../../log/facts.ts";
import { closedLog } from "../../saved-session.ts";

const box = inProcess(await sandbox("sessions"));
afterAll(box.remove);

/** A session of the folder; `env`: with another home. Returns its file. */
async function write(name: string, facts: Fact[], began: Partial<SessionFact> = {}, env = {}) {
  const folder = pathsFor({ ...box.env, ...env }, box.project).projectSessions;
  const first = { ...sessionFact(name), cwd: box.project, ...began };
  return (await closedLog(folder, [first, ...facts], name)).file;
}

const session = (name: string, words: string, more: Fact[] = [], env = {}): Promise<string> =>
  write(name, [userFact(words), ...more], {}, env);

const sessions = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await box.run(["sessions", ...args]);
  expect([code, err]).toEqual([0, ""]);
  return out;
};

test("lists, shows and exports by a unique prefix; control characters of titles are removed", async () => {
  await session("20260101-a", "first\u001b[2J words", [assistantFact("There.")]);
  await write("20260102-b", [userFact("second words")], { cwd: "/gone" });
  const list = async (...more: string[]) =>
    (await sessions("list", ...more)).replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME");
  const gone = `20260102-b  TIME     1 turn${" ".repeat(18)}  (/gone is gone) second words\n`;
  const first = "20260101-a  TIME     1 turn         10 tokens  first words";
  expect(await list()).toBe(`${gone}${first}\n`);
  expect(await list("--all")).toBe(`${gone}${first}  ${box.project}\n`);
  expect(await sessions("show", "20260102")).toContain("second words");
  expect(await sessions("export", "20260101-a", "--format", "jsonl")).toContain('"type":"user"');
  expect(await sessions("export", "20260101-a", "--format", "html")).toContain("<html");
  expect(await sessions("export", "20260101-a")).toContain("# ");
});

test("on a terminal each session takes one row, with its title in sight", async () => {
  const env = { MINI_CLAUDE_HOME: join(box.root, "narrow") };
  const title = `The last line 漢字 ${"は落とされる".repeat(20)}`;
  for (const name of ["20260101-100000-aaaaaa", "20260101-100000-bbbbbb"])
    await session(name, "Why?", [{ type: "note", kind: "title", text: title }], env);
  // Some terminals do not tell their width.
  for (const columns of [60, 61, 0]) {
    const options = { env, isTerminal: true, columns };
    const { out } = await runInProcess(box, ["sessions", "list"], options);
    const rows = out.trimEnd().split("\n");
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatch(/^20260101-100000-\w{6} .* The last line 漢字 .*…$/);
      expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns || 80);
    }
  }
});

test("search finds all words in any session, best first, with a line of preview", async () => {
  await session("20260103-x", "where does the till close at night?");
  await session("20260103-y", "the till\u001b[2J, the night and the bell");
  const found = await sessions("search", "till", "NIGHT");
  expect(found).not.toContain("\u001b");
  expect(found.match(/^2026\S+/gm)?.toSorted()).toEqual(["20260103-x", "20260103-y"]);
  expect(found).toMatch(/^ {2}you {5}where does the till close at night\?$/m);
  expect(await sessions("search", "zebra")).toBe("No session mentions zebra.\n");
  const elsewhere = (...more: string[]) =>
    box.run(["sessions", "search", "bell", ...more], { cwd: box.root });
  expect((await elsewhere()).out).toBe("No session mentions bell.\n");
  expect((await elsewhere("--all")).out).toContain("20260103-y");
});

test.each([
  [["show", "2026"], "“2026” matches 4 sessions; use a longer prefix."],
  [["show", "1999"], "No session of this folder is called “1999”."],
  [["show"], "sessions show needs the name of a session."],
  [
    ["export", "20260101-a", "a.md"],
    "sessions export takes one session, and nothing after it: a.md",
  ],
  [["export", "20260101-a", "--format", "pdf"], "--format must be one of markdown, jsonl, html"],
  [["search", " "], "sessions search needs words"],
  [["prune"], "sessions prune needs --days N"],
  [["prune", "--days", "0"], "sessions prune needs --days N"],
  [["lsit"], "sessions needs a command"],
])("sessions %p is a usage error", async (args, sentence) => {
  const { code, out, err } = await box.run(["sessions", ...args]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(sentence);
});

test("sessions of another process are listed with what they do, and stopped", async () => {
  const env = { MINI_CLAUDE_HOME: join(box.root, "running") };
  const run = (...args: string[]) => box.run(["sessions", ...args], { env });
  expect((await run("running")).out).toBe("Nothing is running.\n");
  await using holder = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  const { pid, exited } = holder;
  /** A session that a process holds until it ends. */
  const held = async (name: string, facts: Fact[], began = {}): Promise<void> =>
    writeFileSync(
      `${await write(name, facts, began, env)}.lock`,
      JSON.stringify({ pid, started: "" }),
    );
  const startedBy = { session: "20260101-a", toolUse: "t", type: "general" };
  await held("20260101-a", [userFact("go"), assistantFact("I look", ["x"])]);
  await held("20260101-b", [], { startedBy });
  await held("20260101-c", [userFact("go"), assistantFact("done")]);
  await held("20260101-d", [userFact("go")]);
  const { out } = await run("running");
  expect(out.trim().split("\n").sort()).toEqual([
    expect.stringMatching(new RegExp(`^20260101-a  process ${pid}  in Bash x, .*  go$`)),
    expect.stringMatching(/^20260101-b .*  not started, .*  subagent of 20260101-a/),
    expect.stringMatching(/^20260101-c .*  waiting for you, /),
    expect.stringMatching(/^20260101-d .*  the model is working, /),
  ]);
  const listed = (await run("list")).out;
  expect([listed.split("(open) ").length, listed.includes("20260101-b")]).toEqual([4, false]);
  expect(await run("stop", "20260101-b")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a subagent of 20260101-a; stop that one."),
  });
  expect((await run("stop", "20260101-a")).out).toBe("Stopped 20260101-a.\n");
  await exited;
  expect(await run("stop", "20260101-a")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not running"),
  });
});
