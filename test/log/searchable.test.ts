import { expect, test } from "bun:test";
import {
  indexedText,
  pieceChars,
  piecesOf,
  searchableText,
  snippetOf,
  wordsOf,
} from "../../src/log/searchable.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { userFact } from "./facts.ts";

const entryOf = (fact: Fact): Entry => ({ id: "e1", parent: null, at: "", ...fact });

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
  expect(searchableText(entryOf(fact))).toBe("I look.\n\nGrep meter\n3\na\nc");
  expect(searchableText(entryOf(userFact("hello")))).toBe("hello");
  expect(searchableText(entryOf({ type: "note", kind: "info", text: "derived" }))).toBe("");
});

test("pieces add up to the text", () => {
  const text = `${"a".repeat(pieceChars)}${"b".repeat(pieceChars)}c`;
  expect(piecesOf(text).map((piece) => piece.length)).toEqual([pieceChars, pieceChars, 1]);
  expect(piecesOf(text).join("")).toBe(text);
  expect(piecesOf("a".repeat(pieceChars))).toHaveLength(1);
  expect(piecesOf("")).toEqual([]);
});

test("compound names are indexed with their words, once", () => {
  const text = "drawContextMeter and 9drawContextMeter2X, drawContextMeter";
  expect(indexedText(text)).toBe(`${text}\ndraw Context Meter draw Context Meter2 X`);
  expect(indexedText("Plain words, CAPS")).toBe("Plain words, CAPS");
});

test("a query is its distinct words, lower case, at most 32", () => {
  expect(wordsOf('Meter "meter" -übung* a.b')).toEqual(["meter", "übung", "a", "b"]);
  expect(wordsOf(Array.from({ length: 40 }, (_, at) => `w${at}`).join(" "))).toHaveLength(32);
  expect(wordsOf("*?!")).toEqual([]);
});

test("a snippet shows the place with the most of the words", () => {
  const far = "x".repeat(500);
  expect(snippetOf(`one ${far} two three ${far}`, ["one", "two", "three"], 100)).toContain(
    "two three",
  );
  expect(snippetOf(`two one ${far} three`, ["one", "two", "three"], 100)).toStartWith("two one");
});

test("the order of the words in a query does not matter", () => {
  const far = "x".repeat(500);
  const text = `one ${far} two ${far} three`;
  for (const words of [
    ["three", "one", "two"],
    ["two", "three", "one"],
  ]) {
    expect(snippetOf(text, words, 100)).toStartWith("one");
  }
});

test("words that begin at the same place count there", () => {
  const far = "x".repeat(500);
  const text = `meter ${far} one two`;
  expect(snippetOf(text, ["met", "meter", "one", "two"], 100)).toStartWith("meter");
});

test("of equal places a snippet shows the first", () => {
  const far = "x".repeat(500);
  expect(snippetOf(`one ${far} two`, ["one", "two"], 100)).toStartWith("one");
});

test("a snippet is one line, with dots where text is left out", () => {
  const text = `${"a".repeat(100)} needle\n\n  in   a\thaystack ${"b".repeat(300)}`;
  expect(snippetOf(text, ["needle"], 100)).toBe(
    `…${"a".repeat(59)} needle in a haystack ${"b".repeat(14)}…`,
  );
  expect(snippetOf(`needle ${"b".repeat(50)}`, ["needle"], 20)).toBe(`needle ${"b".repeat(13)}…`);
  expect(snippetOf(`${"a".repeat(60)} needle`, ["needle"])).toStartWith("…a");
  const late = `${"a".repeat(150)} needle ${"b".repeat(300)}`;
  expect(snippetOf(late, ["needle", "absent", "missing"])).toBe(snippetOf(late, ["needle"]));
  expect(snippetOf(late, ["needle"])).toStartWith(`…${"a".repeat(59)} needle`);
  expect(snippetOf("x".repeat(300), ["absent"])).toBe(`${"x".repeat(240)}…`);
  expect(snippetOf("  a needle ", ["needle"])).toBe("a needle");
  expect(snippetOf("nothing", ["absent"])).toBe("nothing");
  const emoji = `${"😀".repeat(40)} needle`;
  expect(snippetOf(emoji, ["needle"], 66).isWellFormed()).toBe(true);
});
