/** Full-text search: in the open session, and in the others of its project. */

import { expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import { Archive } from "../../src/log/catalog.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import type { LogStore } from "../../src/log/store.ts";
import { noUsage } from "../../src/protocol/model.ts";
import { call, say, think } from "../context/build.ts";
import { answer } from "../facts.ts";
import { assistantFact, resultFact, sessionFact, stepFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();
const results = join(root, "results");
mkdirSync(results);
let serial = 0;
const newProject = (): string => join(root, `p${++serial}`);

const session = (facts: readonly Fact[], project = newProject(), name = "open") =>
  closedLog(project, facts, name);

const archive = (log: LogStore): Archive => new Archive(log, results);

/** Best first. */
const search = async (facts: readonly Fact[], query: string, limit = 20, options = {}) =>
  archive(await session(facts)).search(query, limit, options);

/** Ids of the hits, best first. */
const found = async (...args: Parameters<typeof search>) =>
  (await search(...args)).map(({ entry }) => entry);

const talk = archive(
  await session([
    sessionFact(),
    userFact("Where is the context meter drawn?"),
    assistantFact("I look for it.", ["grep meter-line src"]),
    resultFact("grep meter-line src", "src/ui/status.ts:40 drawContextMeter(reading)"),
    userFact("Grüße an die Übersetzung"),
  ]),
);

test.each([
  ["context METER", ["e2", "e4"]],
  ["draw", ["e2", "e4"]],
  ["drawContextMeter", ["e4"]],
  ["src/ui/status.ts", ["e4"]],
  ["meter-line", ["e3"]],
  ["eter", []],
  ["absent", []],
  ["drawn elsewhere", ["e2"]],
  ["übersetzung", ["e5"]],
  ["Ubersetzung", ["e5"]],
  ["u\u0308bersetzung", ["e5"]],
  ["grusse grüße", ["e5"]],
  ["*?!", []],
  // Only the first 32 words count.
  [`${Array.from({ length: 32 }, (_, at) => `w${at}`).join(" ")} context`, []],
])("%s is found in %p", async (query, entries) => {
  expect((await talk.search(query, 20)).map(({ entry }) => entry).toSorted()).toEqual(entries);
});

test("rare words and short texts count more; of equal hits the newest is first", async () => {
  const texts = ["apple apple pear", "pear", "plum", `pear ${"and more ".repeat(99)}`, "pear"];
  const facts = texts.map(userFact);
  expect(await found(facts, "apple pear plum quince")).toEqual(["e1", "e3", "e5", "e2", "e4"]);
  expect(await found(facts, "pear", 2)).toHaveLength(2);
  expect(await found(facts, "apple pear")).toEqual(["e1"]);
});

test("the query as it is written comes first, and so do compounds", async () => {
  const facts = [
    userFact("const value_1_5 = 3"),
    userFact(`${"value one five ".repeat(3)} value_1_50, value 1, value 5`),
    userFact("value 5 value 1 value 1 value 5"),
    userFact("the build fails, the test passes, fails the test"),
    userFact("now THE  TEST fails again, the value_1_51 and the the value_1_52"),
  ];
  expect((await found(facts, "value_1_5"))[0]).toBe("e1");
  expect((await found(facts, "The test FAILS"))[0]).toBe("e5");
});

test("a long search yields to others, and stops when aborted; what asks is not searched", async () => {
  const facts = Array.from({ length: 40 }, (_, at) => userFact(`word${at} `.repeat(12_000)));
  const stop = new AbortController();
  setImmediate(() => setImmediate(() => stop.abort()));
  const log = archive(await session(facts));
  const hits = log.search("word", 99);
  const aborted = log.search("word", 99, { signal: stop.signal });
  expect(await hits).toHaveLength(40);
  expect((await aborted).length).toBeLessThan(40);
  const asked = [userFact("The port is 8443."), userFact("which port did we choose for staging")];
  const skips = ({ id }: Entry): boolean => id === "e2";
  expect(await found(asked, "port choose staging", 9, { skips })).toEqual(["e1"]);
});

test("every query is valid", async () => {
  const query = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[a-z"*():^{}+\- ANDORNOTEAR]{0,30}$/),
  );
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      expect(Array.isArray(await talk.search(text, 9))).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(await search([], "word")).toEqual([]);
});

test("tool calls are found by name, strings and numbers; thinking and what is derived are not", async () => {
  const input = {
    pattern: "meter",
    "-A": 37,
    paths: ["a", { b: "deep" }],
    quiet: true,
    none: null,
  };
  const blocks = [say("I look."), think("secret"), call("t", "Grep", input)];
  const facts: Fact[] = [answer(noUsage, blocks), stepFact("Task", input)];
  facts.push({ type: "note", kind: "info", text: "secret" });
  for (const query of ["meter", "37", "deep"])
    expect(await found(facts, query)).toEqual(["e2", "e1"]);
  expect(await found(facts, "look grep")).toEqual(["e1"]);
  for (const query of ["secret", "true", "null"]) expect(await found(facts, query)).toEqual([]);
});

const far = "x".repeat(500);
const snippetOf = async (text: string, query: string) =>
  (await search([userFact(text)], query))[0]?.snippet ?? "";

test.each([
  ["the most of the words", `one ${far} two three ${far}`, "one two three", "two three"],
  ["as many, first", `two one ${far} three`, "one two three", "two one"],
  ["one each: the first", `one ${far} two ${far} three`, "three one two", "one"],
  ["two words that begin alike", `meter ${far} one two`, "met meter one two", "meter"],
])("a snippet shows the place with %s", async (_, text, query, shown) => {
  expect((await snippetOf(text, query)).slice(0, 70)).toContain(shown);
});

test("a snippet is one line of 240 characters, with dots where text is left out", async () => {
  const [before, after] = ["a".repeat(100), "b".repeat(300)];
  expect(await snippetOf(`${before} needle\n\n  in   a\thaystack ${after}`, "needle")).toBe(
    `…${"a".repeat(59)} needle in a haystack ${"b".repeat(154)}…`,
  );
  expect(await snippetOf(`needle ${after}`, "needle")).toBe(`needle ${"b".repeat(233)}…`);
  expect(await snippetOf(`${"a".repeat(60)} needle`, "needle")).toBe(`…${"a".repeat(59)} needle`);
  expect(await snippetOf("  a needle ", "needle absent")).toBe("a needle");
  const emoji = `${"😀".repeat(40)} needle ${"😀".repeat(200)}`;
  expect((await snippetOf(emoji, "needle")).isWellFormed()).toBe(true);
});

/** A session of a project with these messages, last changed then. */
async function says(project: string, name: string, changed: number, ...texts: string[]) {
  const log = await session([sessionFact(name), ...texts.map(userFact)], project, name);
  utimesSync(log.file, changed, changed);
  return log;
}

test("this session and the project's others are searched separately, newest first", async () => {
  const project = newProject();
  await says(project, "old", 1_000, "the albatross of old", "albatross 1");
  await says(project, "recent", 2_000, "a recent albatross", "albatross 2");
  writeFileSync(join(project, "recent.jsonl"), 'no entry\n{"id":', { flag: "a" });
  utimesSync(join(project, "recent.jsonl"), 2_000, 2_000);
  const both = archive(await says(project, "open", 3_000, "my albatross"));
  expect(await both.search("albatross", 10)).toMatchObject([
    { session: null, entry: "e2", source: { type: "user" }, snippet: "my albatross" },
  ]);
  const others = async (limit: number, options = {}) =>
    (await both.searchProject("albatross", limit, options)).map(
      ({ session, entry }) => `${session} ${entry}`,
    );
  expect(await others(10)).toEqual(["recent e3", "recent e2", "old e3", "old e2"]);
  expect(await others(3)).toEqual(["recent e3", "recent e2", "old e3"]);
  expect(await others(2)).toEqual(["recent e3", "recent e2"]);
  expect(await others(1)).toHaveLength(1);
  expect(await others(10, { signal: AbortSignal.abort() })).toEqual([]);
});

test("only the 40 newest sessions of a project are searched", async () => {
  const project = newProject();
  const open = await says(project, "open", 0);
  const numbers = Array.from({ length: 42 }, (_, at) => at + 1);
  await Promise.all(numbers.map((number) => says(project, `s${number}`, number, "an albatross")));
  const hits = await archive(open).searchProject("albatross", 100);
  expect(hits).toHaveLength(40);
  expect([hits[0]?.session, hits[39]?.session]).toEqual(["s42", "s3"]);
});
