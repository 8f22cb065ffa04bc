/** Entries of sessions, opened as text in pages of lines. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { Archive } from "../../src/log/catalog.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { say } from "../context/build.ts";
import { makeReport } from "../facts.ts";
import { assistantFact, resultFact, sessionFact, stepFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();
const results = join(root, "results");
const project = join(root, "project");
let serial = 0;

/** A closed session, and an archive of it. */
async function session(facts: readonly Fact[], name = `s${++serial}`, folder = project) {
  const log = await closedLog(folder, [sessionFact(name), ...facts], name);
  const archive = new Archive(log, results);
  const text = async (id: string, session?: string): Promise<string | undefined> =>
    (await archive.open(id, session))?.text.read(0, 99).then((lines) => lines.join("\n"));
  return { log, archive, text };
}

const savedResult = (file: string): Fact => makeReport({ content: [say("preview")], file });

test("an entry opens as text, with its tool inputs", async () => {
  const { text, archive } = await session([
    userFact("one\ntwo"),
    assistantFact("I look.", ["ls"]),
    resultFact("ls", "a\nb\nc"),
    { type: "pin", entry: "e2", on: true },
  ]);
  expect(await text("e2")).toBe("one\ntwo");
  expect(await text("e3")).toBe('I look.\nBash {\n  "command": "ls"\n}');
  expect(await text("e4")).toBe("a\nb\nc");
  expect(await text("e5")).toContain('\n  "entry": "e2"');
  expect(await archive.open("e99")).toBeNull();
  const pages = (await archive.open("e2"))?.text;
  expect([pages?.lines, pages?.bytes]).toEqual([2, 7]);
});

test("a large result opens and is searched in its file, up to 4 MB, and in its preview when that is gone", async () => {
  await Bun.write(join(results, "1.txt"), `early\n${"x".repeat(1023)}\n`.repeat(4_200) + "late\n");
  await Bun.write(join(root, "secret.txt"), "secret words, longer than the preview of the result");
  const files = [join(results, "1.txt"), join(results, "2.txt"), join(root, "secret.txt")];
  const { text, archive } = await session(files.map(savedResult));
  expect(await text("e2")).toStartWith("early\nxxx");
  expect(await text("e3")).toBe("preview");
  expect(await text("e4")).toBe("preview");
  const found = async (query: string) =>
    (await archive.search(query, 5)).map(({ entry }) => entry).toSorted();
  expect(await found("early")).toEqual(["e2"]);
  expect(await found("preview")).toEqual(["e3", "e4"]);
  for (const query of ["late", "secret"]) expect(await found(query)).toEqual([]);
});

test("an entry of another session opens; a name outside the project does not", async () => {
  const { archive } = await session([userFact("mine")]);
  const other = await session([userFact("theirs")], "other");
  await session([userFact("outside")], "outside", root);
  await session([userFact("hidden")], ".hidden");
  expect((await archive.open("e2", "other"))?.entry).toEqual(other.log.get("e2"));
  for (const name of ["../outside", ".hidden", "missing"])
    expect(await archive.open("e2", name)).toBeNull();
});

test("the call of a result is found, past other entries", async () => {
  const { log, archive } = await session([
    assistantFact("first", ["a"]),
    resultFact("a", "1"),
    assistantFact("second", ["b", "c"]),
    resultFact("b", "2"),
    { type: "count", tokens: 1 },
    resultFact("c", "3"),
    resultFact("a", "answers an earlier call"),
    stepFact("Task", { command: "s" }),
  ]);
  const findInput = (id: string) => {
    const entry = log.get(id);
    return entry && archive.findCall(entry)?.input["command"];
  };
  expect(["e3", "e7", "e8", "e2", "e9"].map(findInput)).toEqual([
    "a",
    "c",
    undefined,
    undefined,
    "s",
  ]);
  const orphan = await closedLog(project, [resultFact("x", "y")]);
  const [result] = orphan.entries;
  expect(result && new Archive(orphan, root).findCall(result)).toBeNull();
});

/** A result with this text in its file. */
async function pagesOf(text: string) {
  const file = join(results, `${++serial}.txt`);
  await Bun.write(file, text);
  const opened = await (await session([savedResult(file)])).archive.open("e2");
  if (!opened) throw new Error("The entry is not found.");
  return opened.text;
}

test("every page of a large file has the right lines", async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${"é".repeat(i % 17)}`);
  lines[12_345] = "x".repeat(300_000);
  lines.fill("", 20_000, 20_003);
  for (const end of ["", "\n"]) {
    const text = lines.join("\n") + end;
    const pages = await pagesOf(text);
    expect([pages.lines, pages.bytes]).toEqual([lines.length, Buffer.byteLength(text)]);
    for (const from of [0, 1, 777, 12_340, 12_345, 12_346, 39_990])
      expect(await pages.read(from, from + 20)).toEqual(lines.slice(from, from + 20));
    expect(await pages.read(40_000, 40_010)).toEqual([]);
  }
  expect((await pagesOf("")).lines).toBe(0);
  expect((await pagesOf("\na\n")).lines).toBe(2);
});

test("a page may end or start anywhere, even past the end", async () => {
  // One line fills the first block of 64 KB exactly.
  const lines = ["x".repeat(64 * 1024 - 1), "a", "b", "c"];
  const pages = await pagesOf(`${lines.join("\n")}\n`);
  for (let from = 0; from <= 4; from++)
    for (let to = 0; to <= 5; to++)
      expect(await pages.read(from, to)).toEqual(lines.slice(from, Math.max(from, to)));
});
