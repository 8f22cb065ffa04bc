import { expect, test } from "bun:test";
import { declaredName, findDoc, findFileDoc } from "../../../src/model/offline/declarations.ts";
import {
  extractKeywords,
  rateMatch,
  toPattern,
  stem,
  stemAll,
} from "../../../src/model/offline/words.ts";

test("the forms of a word have one stem", () => {
  for (const forms of ["draw draws drawn drawing", "price prices priced pricing", "entry entries"])
    expect(new Set(forms.split(" ").map(stem)).size, forms).toBe(1);
  expect([...stemAll("parsedHTTPRequest_names")]).toEqual(["pars", "http", "request", "nam"]);
});

test("a word that every object has as a property is a word", () => {
  expect(extractKeywords("where is the constructor?")).toMatchObject([
    { word: "constructor", stem: "constructor" },
  ]);
  expect([...stemAll("constructor")]).toEqual(["constructor"]);
});

test("keywords are the words that name something", () => {
  const words = (question: string): string[] => extractKeywords(question).map(({ word }) => word);
  expect(words("where is the context meter drawn?")).toEqual(["context", "meter", "drawn"]);
  expect(extractKeywords("who uses brewSeconds?")).toMatchObject([
    { word: "brewSeconds", isName: true },
  ]);
  expect(words("where is it?")).toEqual([]);
});

test("a keyword matches parts of names, not of other words", () => {
  const [meter] = extractKeywords("meter");
  if (!meter) throw new Error("No keyword.");
  const found = new RegExp(toPattern(meter));
  for (const text of ["ContextMeter", "context_meter", "meters", "METER"]) {
    expect(text).toMatch(found);
    expect(rateMatch(meter, text), text).toBe(1);
  }
  expect("parameter").not.toMatch(found);
  expect(rateMatch(meter, "parameter")).toBe(0);
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
])("%s declares %s", (line, name) => {
  expect(declaredName(line)).toBe(name);
});

test("comments above, docstrings below, and the comment of a file", () => {
  expect(findDoc(["/** Adds. */", "@cached", "function add() {"], 2)).toBe("Adds.");
  expect(findDoc(["def add(a):", '    """Adds."""'], 0)).toBe("Adds.");
  expect(findDoc(["let a = 1;", "function add() {"], 1)).toBe("");
  expect(findFileDoc(["#!/bin/sh", "# Starts", "# everything.", "", "run"])).toBe(
    "Starts everything.",
  );
  expect(findFileDoc(["/** Adds. */", "export function add() {"])).toBe("");
});
