/** Words of a question against words of code. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { definedName, headerOf } from "../../../src/apps/offline/definition.ts";
import { stem, subwords } from "../../../src/apps/offline/stem.ts";
import { hits, keywordsOf, patternOf, phrasePattern } from "../../../src/apps/offline/words.ts";

test.each([
  ["drawn draws drawing draw", "draw"],
  ["price priced prices pricing", "pric"],
  ["retries retried retry retrying", "retry"],
  ["cutting cuts cut", "cut"],
  ["status", "status"],
  ["class classes", "class"],
])("%s have one stem", (words, wanted) => {
  expect(new Set(words.split(" ").map(stem))).toEqual(new Set([wanted]));
});

test("no word becomes empty or longer", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,14}$/), (word) => {
      expect(stem(word).length).toBeGreaterThan(0);
      expect(stem(word).length).toBeLessThanOrEqual(word.length);
    }),
  );
});

test("names fall into their parts, in every way of writing them", () => {
  for (const name of ["contextMeter", "ContextMeter", "context_meter", "CONTEXT-METER"])
    expect(subwords(name)).toEqual(["context", "meter"]);
  expect(subwords("parseHTTPHeader2")).toEqual(["pars", "http", "header", "2"]);
});

test("keywords: what is meant stays, what only asks goes", () => {
  const words = (question: string): string[] => keywordsOf(question).map(({ word }) => word);
  expect(words("where is the context meter drawn?")).toEqual(["context", "meter", "drawn"]);
  expect(words("Where is `brewSeconds` tested?")).toEqual(["brewSeconds"]);
  expect(keywordsOf("drawn")).toMatchObject([{ verb: true }]);
});

test("a short word does not hit inside a longer one", () => {
  const [log] = keywordsOf("log");
  if (!log) throw new Error("no keyword");
  const hit = (text: string): number => hits(log, text, new Set(subwords(text)));
  expect(hit("openLog")).toBe(1);
  expect(hit("catalog dialog logic")).toBe(0);
});

test("the patterns find each way of writing, and no part of another word", () => {
  const words = keywordsOf("context meter");
  const phrase = new RegExp(phrasePattern(words), "i");
  for (const text of ["contextMeter", "context_meter", "context meter", "Context-Meters"])
    expect(text).toMatch(phrase);
  const one = new RegExp(words.map(patternOf).join("|"));
  expect("drawMeter").toMatch(one);
  expect("thermometer").not.toMatch(one);
});

test.each([
  ["export async function* run() {", "run"],
  ["export const run = () => {", "run"],
  ["pub(crate) fn run<T>() {", "run"],
  ["func (s *Server) Run() error {", "Run"],
  ["    def run(self):", "run"],
  ["  async append(fact: Fact): Promise<Entry> {", "append"],
  ["  if (ready) {", null],
  ["  return run();", null],
])("%s defines %s", (text, name) => {
  expect(definedName(text)).toBe(name);
});

test("a file's header is its own, not that of its first function", () => {
  expect(headerOf(["/** The file. */", "", "export const a = 1;"])).toBe("The file.");
  expect(headerOf(["/** Of a. */", "export const a = 1;"])).toBe("");
  expect(headerOf(["#!/bin/sh", "# Starts it.", "", "ls"])).toBe("Starts it.");
});
