import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourcesIn } from "../../../src/commands/import/detect.ts";
import { entriesIn } from "../../../src/commands/import/entries.ts";
import { SourceFile } from "../../../src/commands/import/source-file.ts";
import { imported, inShort, pathOf, sent } from "./read.ts";

const folder = mkdtempSync(join(tmpdir(), "opencode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Extra = { [key: string]: unknown };

const info = {
  id: "ses_one",
  title: "The till",
  directory: "/work/shop",
  time: { created: 1_770_000_000_000 },
};

let at = 1_770_000_000_000;
const user = (...parts: Extra[]) => ({ info: { role: "user", time: { created: ++at } }, parts });
const answer = (more: Extra, ...parts: Extra[]) => ({
  info: { role: "assistant", modelID: "gpt-6", time: { created: ++at }, ...more },
  parts,
});
const text = (words: string, more: Extra = {}) => ({ type: "text", text: words, ...more });
const tool = (callID: string, name: string, state: Extra) => ({
  type: "tool",
  callID,
  tool: name,
  state,
});

const messages = () => [
  user(text("where is the till?"), text("a reminder", { synthetic: true })),
  answer(
    { tokens: { input: 10, output: 4, reasoning: 2, cache: { read: 50, write: 6 } } },
    { type: "step-start" },
    { type: "reasoning", text: "Look." },
    text("I look."),
    tool("c1", "read", {
      status: "completed",
      input: { filePath: "/work/shop/till.ts" },
      output: "count",
    }),
    tool("c2", "bash", { status: "error", input: { command: "false" }, error: "exit 1" }),
  ),
  answer({}, text("In till.ts.")),
];

test("imports what opencode export prints", () => {
  const entries = imported(JSON.stringify({ info, messages: messages() }, null, 2));
  expect(inShort(pathOf(entries)).slice(1, -3)).toEqual([
    "user: where is the till?",
    "context: a reminder",
    "model: opencode: gpt-6",
    "assistant: (Look.) | I look. | Read(c1) | Bash(c2)",
    "result c1: count",
    "result c2: exit 1",
    "assistant: In till.ts.",
    "note title: The till",
  ]);
  expect(entries[0]).toMatchObject({ cwd: "/work/shop" });
  const [first] = entries.filter((entry) => entry.type === "assistant");
  expect(first?.usage).toEqual({ input: 10, cacheRead: 50, cacheWrite: 6, output: 6 });
  expect(entries.find((entry) => entry.type === "result")?.stamps).toMatchObject([
    { path: "/work/shop/till.ts" },
  ]);
  sent(entries);
});

test.each([
  "CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n",
  "CREATE TABLE session (id, data AS (zeroblob(1000000000)))",
  "CREATE VIRTUAL TABLE session USING fts5(id)",
])("a database that computes what it holds is not read: %s", (sql) => {
  const path = join(mkdtempSync(join(folder, "hostile-")), "opencode.db");
  const database = new Database(path);
  for (const one of [sql, "CREATE TABLE message (id)", "CREATE TABLE part (id)"]) database.run(one);
  database.close();
  using file = new SourceFile(path);
  expect(sourcesIn(file)).toBe("it is a database, but not opencode's");
});

test("a summary covers what came before it, and says whether it was asked for", () => {
  const cutOf = (auto: boolean) => {
    const entries = imported(
      JSON.stringify({
        info,
        messages: [
          ...messages(),
          user({ type: "compaction", auto }),
          answer({ summary: true }, text("SUMMARY")),
          user(text("go on")),
        ],
      }),
    );
    const words = JSON.stringify(sent(entries));
    expect(words).toContain("SUMMARY");
    expect(words).toContain("go on");
    expect(words).not.toContain("where is the till?");
    return entries.find((entry) => entry.type === "cut");
  };
  expect(cutOf(false)).toMatchObject({ trigger: "command" });
  expect(cutOf(true)).toMatchObject({ trigger: "auto" });
});

test("an answer that was stopped, failed or cut off says so", () => {
  const entries = imported(
    JSON.stringify({
      info,
      messages: [
        user(text("one")),
        answer({ error: { name: "MessageAbortedError" } }, text("I was")),
        user(text("two")),
        answer({ error: { name: "APIError", data: { message: "overloaded" } } }, text("half")),
        user(text("three")),
        answer({ finish: "length" }, text("long")),
      ],
    }),
  );
  const answers = entries.filter((entry) => entry.type === "assistant");
  expect(answers.map(({ stop }) => stop)).toEqual(["interrupted", "failed", "max_tokens"]);
  expect(inShort(entries)).toContain("note error: overloaded");
});

function database(): string {
  const path = join(folder, "opencode.db");
  const db = new Database(path);
  db.run(
    "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER)",
  );
  db.run("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)");
  db.run("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)");
  db.run("INSERT INTO session VALUES ('ses_one', NULL, '/work/shop', 'The till', 1770000000000)");
  db.run("INSERT INTO session VALUES ('ses_sub', 'ses_one', '/work/shop', 'sub', 1770000000001)");
  db.run("INSERT INTO session VALUES ('ses_two', NULL, '/work/shop', 'Other', 1770000000002)");
  messages().forEach(({ info: data, parts }, at) => {
    const id = `msg_${at}`;
    db.run("INSERT INTO message VALUES (?, 'ses_one', ?, ?)", [id, at, JSON.stringify(data)]);
    parts.forEach((part, index) =>
      db.run("INSERT INTO part VALUES (?, ?, 'ses_one', ?)", [
        `prt_${at}_${index}`,
        id,
        JSON.stringify(part),
      ]),
    );
  });
  db.run(`INSERT INTO message VALUES ('m', 'ses_two', 9, '{"role":"user"}')`);
  db.run(`INSERT INTO part VALUES ('p', 'm', 'ses_two', '{"type":"text","text":"hello"}')`);
  db.close();
  return path;
}

test("finds every session in the database", () => {
  const path = database();
  using file = new SourceFile(path);
  const session = (id: string, isSubagent: boolean, hasConversation: boolean) =>
    expect.objectContaining({
      info: expect.objectContaining({ id, isSubagent }),
      hasConversation,
    });
  expect(sourcesIn(file)).toEqual([
    session("ses_one", false, true),
    session("ses_sub", true, false),
    session("ses_two", false, true),
  ]);
  expect(inShort(entriesIn(path) ?? [])).toContain("user: hello");
});

test("another database says what it is not", () => {
  const path = join(folder, "other.db");
  const db = new Database(path);
  db.run("CREATE TABLE session (name TEXT)");
  db.close();
  using file = new SourceFile(path);
  expect(sourcesIn(file)).toBe("it is a database, but not opencode's");
});
