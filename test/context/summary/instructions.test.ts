import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import {
  fitInstructions,
  findInstructions,
  missingInstructions,
} from "../../../src/context/summary/instructions.ts";

const found = (text: string): string[] =>
  findInstructions([{ entry: "e2", text }]).map((one) => one.text);

test.each([
  "Never touch the migrations.",
  "From now on answer in French.",
  "Don't add dependencies.",
  "You must keep the public API.",
  "Use pnpm.",
  "The indentation is two spaces everywhere.",
  "Tests live beside the source.",
  "please keep the comments",
  "Only change src/parser.ts",
  "I prefer tabs over spaces.",
  "Benutze immer einfache Anführungszeichen.",
  "Ne modifie pas les tests.",
  "Utilisez des tabulations.",
  "Gardez les commentaires.",
  "Siempre responde en español.",
  "Никогда не трогай базу.",
  "不要修改测试文件",
  "テストは必ず実行してください",
])("an instruction: %s", (text) => {
  expect(found(text)).toEqual([text]);
});

test.each(["What does this function return?", "The build is red again.", "Thanks, that is fine!"])(
  "no instruction: %s",
  (text) => {
    expect(found(text)).toEqual([]);
  },
);

test("it is found among other sentences and in lists, without its bullet", () => {
  expect(
    found("The parser is slow. Never cache to disk! Why?\n- always run the linter\n2. Use ESM"),
  ).toEqual(["Never cache to disk!", "always run the linter", "Use ESM"]);
});

test("pasted code and output hold no instructions", () => {
  const pasted =
    "Look:\n```\nnever mind, always fails\n```\n2026-01-01 12:00:00 [x==1] !! (never) 0x00 0x01 ::: 55";
  expect(found(pasted)).toEqual([]);
});

test("an instruction is missing if the text lacks it, ignoring case and punctuation", () => {
  const all = findInstructions([
    { entry: "e2", text: "Never touch the migrations.\nAlways use tabs!" },
    { entry: "e9", text: "always use tabs" },
  ]);
  const missing = missingInstructions("They said: never  touch the\nMIGRATIONS", all);
  expect(missing.map(({ entry, text }) => [entry, text])).toEqual([["e2", "Always use tabs!"]]);
});

test("a part of a word does not count as the instruction", () => {
  const [one] = findInstructions([{ entry: "e2", text: "Use tab" }]);
  expect(one && missingInstructions("misuse table", [one])).toHaveLength(1);
});

test("when room is short, lasting instructions are kept, the newest first", () => {
  const all = findInstructions([
    { entry: "e1", text: "Never use semicolons." },
    { entry: "e2", text: "Use the blue one." },
    { entry: "e3", text: "Always run the tests." },
  ]);
  const { kept, dropped } = fitInstructions(all, 70);
  expect(kept.map(({ entry }) => entry)).toEqual(["e1", "e3"]);
  expect(dropped.map(({ entry }) => entry)).toEqual(["e2"]);
  expect(fitInstructions(all, 40).kept.map(({ entry }) => entry)).toEqual(["e3"]);
});

test("rules of the session come before those of pasted texts, of which the shortest are kept", () => {
  const pasted = findInstructions([
    { entry: "e1", text: "Never use semicolons in any of the generated files." },
    { entry: "e1", text: "Never use tabs." },
  ]);
  const own = findInstructions([{ entry: "e0", text: "Always answer in French." }]).map((one) => {
    return { ...one, isOwn: true as const };
  });
  const { kept } = fitInstructions([...own, ...pasted], 60);
  expect(kept.map(({ text }) => text)).toEqual(["Always answer in French.", "Never use tabs."]);
  expect(fitInstructions([...own, ...pasted], 60, 20).kept.map(({ entry }) => entry)).toEqual([
    "e1",
  ]);
});

test("every instruction is either kept or dropped", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.boolean())), fc.nat(500), (texts, room) => {
      const all = texts.map(([text, standing], index) => ({
        entry: `e${index}`,
        text,
        standing,
        isRule: true,
      }));
      const { kept, dropped } = fitInstructions(all, room);
      expect([...kept, ...dropped].sort((a, b) => all.indexOf(a) - all.indexOf(b))).toEqual(all);
      const used = kept.reduce((sum, { text }) => sum + text.length, 0);
      expect(used).toBeLessThanOrEqual(room);
    }),
  );
});

test("an instruction has 4 to 1,000 characters", () => {
  expect([found("nie"), found("nur!")]).toEqual([[], ["nur!"]]);
  const long = (chars: number): string => `Never ${"x".repeat(chars - 7)}.`;
  expect([found(long(1_000)).length, found(long(1_001)).length]).toEqual([1, 0]);
});
