import { expect, test } from "bun:test";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  describeSession,
  countTurns,
  findSession,
  latestSession,
  listAllSessions,
  listSessions,
} from "../../src/log/catalog.ts";
import { openLog } from "../../src/log/store.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { assistantFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();

const write = async (project: string, session: string, facts: readonly Fact[]): Promise<string> =>
  (await closedLog(join(root, project), facts, session)).file;

const title = (text: string): Fact => ({ type: "note", kind: "title", text });
const filler = (chars: number): Fact => ({ type: "note", kind: "info", text: "f".repeat(chars) });

test("a session is described by its first prompt, its model, its size", async () => {
  const file = await write("p", "one", [
    sessionFact("one"),
    userFact("Where is\n  the meter?"),
    assistantFact("There."),
  ]);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  expect(await describeSession(file)).toEqual({
    session: "one",
    file,
    cwd: "/work/there",
    model: "model-b",
    title: "Where is the meter?",
    firstPrompt: "Where is the meter?",
    changedMs: 1_700_000_000_000,
    bytes: readFileSync(file).length,
    usedTokens: 10,
    entries: 3,
    busy: false,
    startedBy: null,
  });
});

test("the last title counts, wherever it is; text about titles does not", async () => {
  const far = filler(700_000);
  const file = await write("p", "two", [
    sessionFact("two"),
    userFact("first words"),
    title("old"),
    far,
    far,
    title("new"),
    far,
    userFact('"kind":"title"'),
    { type: "unknown", raw: { type: "note2", kind: "title", text: "no" } },
    far,
    far,
    far,
  ]);
  expect(await describeSession(file)).toMatchObject({ title: "new", firstPrompt: "first words" });
});

test("a title is found wherever a block of a megabyte begins in its line", async () => {
  const file = await write("p", "block", [sessionFact("block"), title("old"), title("new")]);
  const lines = readFileSync(file, "utf8").split("\n");
  const { length } = `${lines[2]}\n`;
  for (let within = 0; within <= length; within += 3) {
    const filled = 1024 * 1024 - length + within;
    const last = JSON.stringify({
      ...JSON.parse(lines[2] ?? ""),
      id: "e4",
      kind: "info",
      text: "",
    });
    const line = last.replace('"text":""', `"text":"${"f".repeat(filled - last.length - 1)}"`);
    writeFileSync(file, [...lines.slice(0, 3), line, ""].join("\n"));
    expect(await describeSession(file)).toMatchObject({ title: "new" });
  }
});

test("the first prompt is found after long instructions, as it was typed", async () => {
  const late = { ...userFact("Report what is wrong in the diff."), typed: "/review src" };
  const file = await write("p", "three", [
    sessionFact("three"),
    filler(600_000),
    late,
    assistantFact("There."),
    filler(300_000),
    { type: "model", model: "model-c" },
  ]);
  expect(await describeSession(file)).toMatchObject({
    firstPrompt: "/review src",
    model: "model-c",
    usedTokens: 10,
    entries: 6,
  });
});

test("a torn session is listed, other files are not, and all are closed", async () => {
  const file = await write("q", "torn", [sessionFact("torn"), userFact("hello")]);
  appendFileSync(file, '{"id":"e3","par');
  const folder = dirname(file);
  writeFileSync(join(folder, "notes.jsonl"), '{"a":1}\n');
  writeFileSync(join(folder, "empty.jsonl"), "");
  for (const name of ["other.txt", "torn.jsonl.part", "torn.jsonl.torn"]) {
    copyFileSync(file, join(folder, name));
  }
  mkdirSync(join(folder, "folder.jsonl"));
  const openFiles = () => readdirSync("/dev/fd").length;
  const before = openFiles();
  expect((await listSessions(folder)).map(({ session, entries }) => [session, entries])).toEqual([
    ["torn", 2],
  ]);
  expect(openFiles()).toBe(before);
  expect(await listSessions(join(root, "nowhere"))).toEqual([]);
});

test("the latest session comes first, across projects", async () => {
  const files = await Promise.all(
    ["r1", "r2", "r3"].map((project) => write(`all/${project}`, `in-${project}`, [sessionFact()])),
  );
  for (const [at, file] of files.entries()) utimesSync(file, 2_000 - at, 2_000 - at);
  const sessions = await listAllSessions(join(root, "all"));
  expect(sessions.map(({ session }) => session)).toEqual(["in-r1", "in-r2", "in-r3"]);
});

test("sessions of the same time are in reverse order of their names, however many", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `s${at + 10}`);
  const files = await Promise.all(names.map((name) => write("same", name, [sessionFact(name)])));
  for (const file of files) utimesSync(file, 1_000, 1_000);
  const folder = join(root, "same");
  const listed = async (begin?: string) =>
    (await listSessions(folder, begin)).map(({ session }) => session);
  expect(await listed()).toEqual(names.toReversed());
  expect(await listed("s2")).toEqual(names.filter((name) => name.startsWith("s2")).toReversed());
  const all = await listSessions(folder);
  expect(findSession(all, "s29").session).toBe("s29");
  expect(findSession(all.slice(0, 1), "s").session).toBe("s29");
  const [longer] = all;
  const shorter = longer && { ...longer, session: "s" };
  expect(shorter && findSession([longer, shorter], "s")).toBe(shorter);
  expect(() => findSession(all, "s2")).toThrow("matches 10 sessions");
  expect(() => findSession(all.slice(0, 2), "s")).toThrow("matches 2 sessions");
  for (const none of ["", "x"]) expect(() => findSession(all, none)).toThrow("No session");
});

test("long prompts and titles are cut to one line of 200 characters", async () => {
  const file = await write("p", "long", [
    sessionFact("long"),
    userFact(`  ${"word \n".repeat(100)}`),
    // The line is longer than what is read at once.
    title(`${"x".repeat(199)}😀${"y".repeat(3_000_000)}`),
  ]);
  const info = await describeSession(file);
  expect(info?.firstPrompt).toBe("word ".repeat(100).slice(0, 200));
  expect(info?.title).toBe("x".repeat(199));
  const half = await write("p", "half", [sessionFact("h"), userFact("a\ud800b")]);
  expect((await describeSession(half))?.firstPrompt).toBe("a\ufffdb");
  const blank = await write("p", "blank", [sessionFact("b"), userFact(`${" ".repeat(1_999)}abc`)]);
  expect((await describeSession(blank))?.firstPrompt).toBe("a");
});

test("a session that ends in a huge line is listed", async () => {
  const file = await write("p", "huge", [
    sessionFact("h"),
    userFact("hello"),
    userFact("again"),
    filler(9_000_000),
  ]);
  // The huge line is not read, so it does not count.
  expect(await describeSession(file)).toMatchObject({
    firstPrompt: "hello",
    model: "model-a",
    entries: 3,
  });
});

test("the latest session of a folder is the user's, with the number of its messages", async () => {
  const folder = join(root, "latest");
  expect(await latestSession(folder)).toBeNull();
  const older = await write("latest", "z-older", [
    sessionFact("z-older"),
    userFact("one"),
    assistantFact('"type":"user"'),
    userFact('two, with {"id":"e9","parent":null,"at":"","type":"user"'),
  ]);
  const newer = await write("latest", "a-newer", [sessionFact("a-newer"), userFact("hi")]);
  const first = sessionFact("m-agent");
  const startedBy = { session: "a-newer", toolUse: "t1", type: "explore" };
  const subagent = await write("latest", "m-agent", [
    first.type === "session" ? { ...first, startedBy } : first,
    userFact("look"),
  ]);
  writeFileSync(join(folder, "notes.txt"), "not a session");
  writeFileSync(join(folder, "empty.jsonl"), "");
  mkdirSync(join(folder, "folder.jsonl"));
  for (const [at, file] of [older, newer, subagent].entries()) utimesSync(file, at + 1, at + 1);
  expect(await latestSession(folder)).toMatchObject({ session: "a-newer" });
  expect((await describeSession(subagent))?.startedBy).toBe("a-newer");
  utimesSync(older, 9, 9);
  const latest = await latestSession(folder);
  expect(latest?.session).toBe("z-older");
  expect(latest && (await countTurns(latest))).toBe(2);
  symlinkSync("gone", join(folder, "dangling.jsonl"));
  const silent = await write("latest", "b-silent", [sessionFact("b-silent")]);
  utimesSync(silent, 10, 10);
  const unprompted = { title: "", firstPrompt: "", model: "model-a", entries: 1 };
  expect(await latestSession(folder)).toMatchObject({ session: "b-silent", ...unprompted });
});

test("a byte order mark hides no session", async () => {
  const file = await write("bom", "marked", [sessionFact(), userFact("hi")]);
  writeFileSync(file, `\ufeff${readFileSync(file, "utf8")}`);
  expect(openLog(file, { readOnly: true }).entries).toHaveLength(2);
  expect((await latestSession(dirname(file)))?.file).toBe(file);
  expect((await listSessions(dirname(file))).map(({ session }) => session)).toEqual(["marked"]);
});

test("a pipe in place of a log stops nothing", async () => {
  const folder = join(root, "pipe");
  mkdirSync(folder);
  const file = join(folder, "pipe.jsonl");
  Bun.spawnSync(["mkfifo", file]);
  expect(await listSessions(folder)).toEqual([]);
  expect(await latestSession(folder)).toBeNull();
  expect(() => openLog(file)).toThrow("is not an ordinary file");
});
