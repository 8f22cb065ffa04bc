import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import {
  readEntries,
  searchableText,
  searchEntries,
  makeSnippet,
  splitWords,
  type SearchOptions,
} from "../../src/log/search.ts";
import type { ResultBlock } from "../../src/protocol/block.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { createLog } from "../../src/log/store.ts";
import { assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const makeEntry = (fact: Fact, index = 0): Entry => ({
  id: `e${index + 1}`,
  parent: null,
  at: `2026-01-${index + 1}`,
  ...fact,
});
const search = (facts: readonly Fact[], query: string, options: Partial<SearchOptions> = {}) =>
  searchEntries(facts.map(makeEntry), query, { limit: 20, resultsFolder: null, ...options });

async function found(
  facts: readonly Fact[],
  query: string,
  options: Partial<SearchOptions> = {},
): Promise<string[]> {
  return (await search(facts, query, options)).map(({ entry }) => entry).sort();
}

const conversation = [
  sessionFact(),
  userFact("Where is the context meter drawn?"),
  assistantFact("I look for it.", ["grep meter-line src"]),
  resultFact("grep meter-line src", "src/ui/status.ts:40 drawContextMeter(reading)"),
  userFact("Grüße an die Übersetzung"),
];

test("finds words, prefixes, parts of names, arguments and results", async () => {
  expect(await found(conversation, "context METER")).toEqual(["e2", "e4"]);
  expect(await found(conversation, "draw")).toEqual(["e2", "e4"]);
  expect(await found(conversation, "drawContextMeter")).toEqual(["e4"]);
  expect(await found(conversation, "src/ui/status.ts")).toEqual(["e4"]);
  expect(await found(conversation, "meter-line")).toEqual(["e3"]);
  expect(await found(conversation, "eter")).toEqual([]);
  expect(await found(conversation, "absent")).toEqual([]);
});

test("case and accents do not matter, in the query or in the text", async () => {
  for (const query of ["übersetzung", "Ubersetzung", "u\u0308bersetzung", "grusse grüße"])
    expect(await found(conversation, query)).toEqual(["e5"]);
  expect(await found([userFact("cafe")], "café")).toEqual(["e1"]);
});

test("finds entries with some of the words if none has all", async () => {
  expect(await found(conversation, "drawn elsewhere")).toEqual(["e2"]);
  const texts = ["apple", "pear", "apple pear", "pear"];
  expect(await found(texts.map(userFact), "apple pear")).toEqual(["e3"]);
});

test("rare words and short texts count more; of equal hits the newest is first", async () => {
  const texts = ["apple apple pear", "pear", "plum", `pear ${"and more ".repeat(99)}`, "pear"];
  const hits = await search(texts.map(userFact), "apple pear plum quince");
  expect(hits.map(({ entry }) => entry)).toEqual(["e1", "e3", "e5", "e2", "e4"]);
  expect(await search(texts.map(userFact), "pear", { limit: 2 })).toHaveLength(2);
});

test("a hit has its time, its entry and the words in context", async () => {
  const [hit] = await search(conversation, "status.ts");
  expect(hit).toMatchObject({ entry: "e4", at: "2026-01-4", source: { type: "result" } });
  expect(hit?.snippet).toContain("src/ui/status.ts:40");
  const long = userFact(`${"needle in the first part ".repeat(2_000)} and a haystack`);
  expect((await search([long], "haystack"))[0]?.snippet).toContain("and a haystack");
});

test("a search yields to others, tells how far it is, and stops when aborted", async () => {
  const facts = Array.from({ length: 400 }, (_, at) => userFact(`word${at} `.repeat(4_000)));
  const steps: number[] = [];
  const stop = new AbortController();
  const progress = (entries: number): void => void steps.push(entries);
  expect(await search(facts, "word", { limit: 1_000, progress })).toHaveLength(400);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  setImmediate(() => stop.abort());
  const { signal } = stop;
  expect((await search(facts, "word", { limit: 1_000, signal })).length).toBeLessThan(400);
});

test("every query is valid", async () => {
  const query = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[a-z"*():^{}+\- ANDORNOTEAR]{0,30}$/),
  );
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      expect(Array.isArray(await search(conversation, text))).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(await search([], "word")).toEqual([]);
});

test("searches the first 4 MB of a saved result, and no file outside the results", async () => {
  const results = join(root, "results");
  mkdirSync(results);
  const filler = "x".repeat(1023);
  const text = `early\n${`${filler}\n`.repeat(4 * 1024)}late\n`;
  writeFileSync(join(results, "1.txt"), text);
  writeFileSync(join(root, "elsewhere.txt"), "secret words, longer than the preview of the result");
  const content: ResultBlock[] = [{ type: "text", text: "preview" }];
  const about = { type: "result" as const, toolUse: "t", tool: "Bash", bytes: 5_000_000, lines: 9 };
  const files = [join(results, "1.txt"), join(root, "elsewhere.txt"), join(results, "gone.txt")];
  const facts = files.map((file): Fact => ({ ...about, content, file }));
  const entriesWith = (query: string) => found(facts, query, { resultsFolder: results });
  expect(await entriesWith("early")).toEqual(["e1"]);
  expect(await entriesWith("late")).toEqual([]);
  expect(await entriesWith("secret")).toEqual([]);
  expect(await entriesWith("preview")).toEqual(["e2", "e3"]);
});

test("a log is read entry by entry, past lines that are none", async () => {
  const log = createLog(root, "s");
  for (const fact of conversation) await log.append(fact);
  writeFileSync(log.file, `${await Bun.file(log.file).text()}no entry\n{"id":`);
  expect(await Array.fromAsync(readEntries(log.file))).toEqual([...log.entries]);
  await log.close();
});

test("tool calls are searchable by name, strings and numbers", () => {
  const input = { pattern: "meter", "-A": 3, paths: ["a", { b: "c" }], quiet: true, none: null };
  const fact: Fact = {
    type: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "thinking", thinking: "secret", signature: "s" },
      { type: "tool_use", id: "t", name: "Grep", input },
    ],
    model: "m",
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    stop: "tool_use",
    sentAt: "",
  };
  expect(searchableText(makeEntry(fact))).toBe("I look.\n\nGrep meter\n3\na\nc");
  expect(searchableText(makeEntry(userFact("hello")))).toBe("hello");
  expect(searchableText(makeEntry({ type: "note", kind: "info", text: "derived" }))).toBe("");
});

test("a query is its distinct words, lower case, at most 32", () => {
  expect(splitWords('Meter "meter" -übung* a.b')).toEqual(["meter", "ubung", "a", "b"]);
  expect(splitWords(Array.from({ length: 40 }, (_, at) => `w${at}`).join(" "))).toHaveLength(32);
  expect(splitWords("*?!")).toEqual([]);
});

test.each([
  ["the most of the words", "one FAR two three FAR", ["one", "two", "three"], "two three"],
  ["as many, first", "two one FAR three", ["one", "two", "three"], "two one"],
  ["one each: the first", "one FAR two FAR three", ["three", "one", "two"], "one"],
  ["two words that begin alike", "meter FAR one two", ["met", "meter", "one", "two"], "meter"],
])("a snippet shows the place with %s", (_, text, words, shown) => {
  const snippet = makeSnippet(text.replaceAll("FAR", "x".repeat(500)), words, 100);
  expect(snippet.slice(0, 70)).toContain(shown);
});

test("a snippet is one line, with dots where text is left out", () => {
  const text = `${"a".repeat(100)} needle\n\n  in   a\thaystack ${"b".repeat(300)}`;
  expect(makeSnippet(text, ["needle"], 100)).toBe(
    `…${"a".repeat(59)} needle in a haystack ${"b".repeat(14)}…`,
  );
  expect(makeSnippet(`needle ${"b".repeat(50)}`, ["needle"], 20)).toBe(`needle ${"b".repeat(13)}…`);
  expect(makeSnippet(`${"a".repeat(60)} needle`, ["needle"])).toStartWith("…a");
  const late = `${"a".repeat(150)} needle ${"b".repeat(300)}`;
  expect(makeSnippet(late, ["needle", "absent", "missing"])).toBe(makeSnippet(late, ["needle"]));
  expect(makeSnippet(late, ["needle"])).toStartWith(`…${"a".repeat(59)} needle`);
  expect(makeSnippet("x".repeat(300), ["absent"])).toBe(`${"x".repeat(240)}…`);
  expect(makeSnippet("  a needle ", ["needle"])).toBe("a needle");
  expect(makeSnippet("nothing", ["absent"])).toBe("nothing");
  const emoji = `${"😀".repeat(40)} needle`;
  expect(makeSnippet(emoji, ["needle"], 66).isWellFormed()).toBe(true);
});

test("what asks is not searched, so that it does not hide what has some of the words", async () => {
  const facts = [userFact("The port is 8443."), userFact("which port did we choose for staging")];
  const skips = ({ id }: Entry): boolean => id === "e2";
  expect(await found(facts, "port choose staging", { skips })).toEqual(["e1"]);
});

test("the query as it is written comes first, and so do compounds", async () => {
  const filler = "value one five ".repeat(3);
  const facts = [
    userFact("const value_1_5 = 3"),
    userFact(`${filler} value_1_50, value 1, value 5`),
    userFact("value 5 value 1 value 1 value 5"),
    userFact("the build fails, the test passes, fails the test"),
    userFact("the test fails again"),
  ];
  const first = async (query: string) => (await search(facts, query))[0]?.entry;
  expect(await first("value_1_5")).toBe("e1");
  expect(await first("the test fails")).toBe("e5");
});
