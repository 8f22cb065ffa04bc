import { expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Archive } from "../../src/log/search.ts";
import { createLog, type LogStore } from "../../src/log/store.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { assistantFact, lineOf, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
let serial = 0;
const newProject = (): string => join(root, `p${++serial}`);

async function session(project: string, name: string, facts: readonly Fact[]): Promise<LogStore> {
  const log = createLog(project, name);
  await Promise.all([sessionFact(name), ...facts].map((fact) => log.append(fact)));
  await log.close();
  return log;
}

test("this session and the project's others are searched separately, newest first", async () => {
  const project = newProject();
  const old = await session(project, "old", [userFact("the albatross of old")]);
  const recent = await session(project, "recent", [userFact("a recent albatross")]);
  utimesSync(old.file, 1_000, 1_000);
  utimesSync(recent.file, 2_000, 2_000);
  const open = await session(project, "open", [userFact("my albatross")]);
  const archive = new Archive(open, join(root, "results"));
  const hits = await archive.search("albatross", 10);
  expect(hits.map(({ session, entry }) => [session, entry])).toEqual([[null, "e2"]]);
  const others = await archive.searchProject("albatross", 10);
  expect(others.map(({ session, entry }) => [session, entry])).toEqual([
    ["recent", "e2"],
    ["old", "e2"],
  ]);
  expect((await archive.searchProject("albatross", 1)).map(({ session }) => session)).toEqual([
    "recent",
  ]);
  expect(await archive.searchProject("albatross", 10, { signal: AbortSignal.abort() })).toEqual([]);
});

test("only the 40 newest sessions of a project are searched", async () => {
  const project = newProject();
  const open = await session(project, "open", []);
  for (let number = 1; number <= 42; number++) {
    const file = join(project, `s${number}.jsonl`);
    const facts = [sessionFact(), userFact("an albatross")];
    const lines = facts.map((fact, at) =>
      lineOf({ id: `e${at + 1}`, parent: at === 0 ? null : "e1", at: "2026", ...fact }),
    );
    writeFileSync(file, lines.join(""));
    utimesSync(file, number, number);
  }
  utimesSync(open.file, 0, 0);
  const archive = new Archive(open, join(root, "results"));
  const found = (await archive.searchProject("albatross", 100)).map(({ session }) => session);
  expect(found).toHaveLength(40);
  expect([found[0], found[39]]).toEqual(["s42", "s3"]);
});

test("the limit counts the hits of all sessions together", async () => {
  const project = newProject();
  const said = Array.from({ length: 3 }, (_, n) => userFact(`albatross ${n}`));
  for (const name of ["a", "b", "c"]) await session(project, name, said);
  const open = await session(project, "open", []);
  const archive = new Archive(open, join(root, "results"));
  for (const limit of [2, 3, 4, 7])
    expect(await archive.searchProject("albatross", limit)).toHaveLength(limit);
});

test("an entry opens as text, with its tool inputs", async () => {
  const open = await session(newProject(), "open", [
    userFact("one\ntwo"),
    assistantFact("I look.", ["ls"]),
    resultFact("ls", "a\nb\nc"),
    { type: "pin", entry: "e2", on: true },
  ]);
  const archive = new Archive(open, join(root, "results"));
  const text = async (id: string): Promise<string | undefined> =>
    (await archive.open(id))?.text.read(0, 99).then((lines) => lines.join("\n"));
  expect(await text("e2")).toBe("one\ntwo");
  expect(await text("e3")).toBe('I look.\nBash {\n  "command": "ls"\n}');
  expect(await text("e4")).toBe("a\nb\nc");
  expect(await text("e5")).toContain('\n  "entry": "e2"');
  expect(await archive.open("e99")).toBeNull();
});

test("a large result opens from its file, and from its preview when the file is gone", async () => {
  const results = join(root, "results");
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, "1.txt"), "all\nof\nit\n");
  writeFileSync(join(root, "secret.txt"), "not\na\nresult\n");
  const result = (file: string): Fact => ({
    type: "result",
    toolUse: "ls",
    tool: "Bash",
    content: [{ type: "text", text: "preview" }],
    bytes: 1,
    lines: 1,
    file,
  });
  const open = await session(newProject(), "open", [
    result(join(results, "1.txt")),
    result(join(results, "2.txt")),
    result(join(root, "secret.txt")),
  ]);
  const archive = new Archive(open, results);
  const lines = async (id: string) => (await archive.open(id))?.text.read(0, 9);
  expect(await lines("e2")).toEqual(["all", "of", "it"]);
  expect(await lines("e3")).toEqual(["preview"]);
  expect(await lines("e4")).toEqual(["preview"]);
  expect((await archive.search("all", 5)).map(({ entry }) => entry)).toEqual(["e2"]);
  expect(await archive.search("secret", 5)).toEqual([]);
});

test("an entry of another session opens; a name outside the project does not", async () => {
  const project = newProject();
  const open = await session(project, "open", [userFact("mine")]);
  const other = await session(project, "other", [userFact("theirs")]);
  await session(join(project, ".."), "outside", [userFact("outside")]);
  await session(project, ".hidden", [userFact("hidden")]);
  const archive = new Archive(open, join(root, "results"));
  const opened = await archive.open("e2", "other");
  expect(opened?.entry).toEqual(other.get("e2"));
  for (const name of ["../outside", ".hidden", "missing"]) {
    expect(await archive.open("e2", name)).toBeNull();
  }
});

test("the call of a result is found, past other entries", async () => {
  const open = await session(newProject(), "open", [
    assistantFact("first", ["a"]),
    resultFact("a", "1"),
    assistantFact("second", ["b", "c"]),
    resultFact("b", "2"),
    { type: "count", tokens: 1 },
    resultFact("c", "3"),
    resultFact("a", "answers an earlier call"),
  ]);
  const archive = new Archive(open, join(root, "results"));
  const findInput = (id: string) => {
    const entry = open.get(id);
    return entry && archive.findCall(entry)?.input;
  };
  expect(findInput("e3")).toEqual({ command: "a" });
  expect(findInput("e7")).toEqual({ command: "c" });
  expect(findInput("e8")).toBeUndefined();
  expect(findInput("e2")).toBeUndefined();
  const orphan = createLog(newProject(), "orphan");
  const result = await orphan.append(resultFact("x", "y"));
  expect(new Archive(orphan, root).findCall(result)).toBeNull();
  await orphan.close();
});
