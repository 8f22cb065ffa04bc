import { expect, test } from "bun:test";
import {
  charCount,
  sumChars,
  kinds,
  newCharsByKind,
  sameChars,
} from "../../../src/context/view/char-count.ts";
import type { Block } from "../../../src/protocol/block.ts";
import { call, say } from "../build.ts";

const thought = (thinking: string) => ({ type: "thinking" as const, thinking, signature: "" });

const counted = (...blocks: Block[]) => {
  const chars = charCount(blocks, "user");
  const all = [...kinds, "imageTokens" as const].map((kind) => [kind, chars[kind]] as const);
  return Object.fromEntries(all.filter(([, count]) => count !== 0));
};

test("no blocks count as zero", () => {
  expect(counted()).toEqual({});
  expect(sumChars(newCharsByKind())).toBe(0);
});

test.each<[string, Block, Record<string, number>]>([
  ["text, as the kind of its entry", say("x".repeat(7)), { user: 7 }],
  ["thinking", { type: "thinking", thinking: "x".repeat(9), signature: "" }, { thinking: 9 }],
  [
    "thinking that the response omits, by its signature",
    { type: "thinking", thinking: "", signature: "x".repeat(100) },
    { thinking: 75 },
  ],
  ["redacted thinking", { type: "redacted_thinking", data: "x".repeat(100) }, { thinking: 75 }],
  ["empty thinking", { type: "redacted_thinking", data: "" }, { thinking: 1 }],
  ["a call", call("t1", "Read", { a: 1 }), { toolInputs: 51 }],
  [
    "a result with what it holds",
    { type: "tool_result", tool_use_id: "t1", content: [say("x".repeat(7))] },
    { toolResults: 37 },
  ],
  ["a compaction by the server", { type: "compaction", content: "x".repeat(7) }, { summary: 7 }],
  ["a compaction without text", { type: "compaction", content: null }, {}],
])("%s", (_, block, chars) => {
  expect(counted(block)).toEqual(chars);
});

test("all kinds add up, an image as the text of its size", () => {
  const chars = newCharsByKind();
  for (const [index, kind] of kinds.entries()) chars[kind] = 10 ** index;
  expect(sumChars(chars)).toBe(111_111_111);
  expect(sumChars({ ...chars, imageTokens: 1_000 })).toBe(111_115_111);
});

test.each<[string, Block[], Block[], boolean]>([
  ["texts of one length", [say("one")], [say("two")], true],
  ["texts of other lengths", [say("one")], [say("three")], false],
  ["a text and thinking of its length", [say("one")], [thought("one")], false],
  ["nothing and no text", [], [say("")], true],
])("the counts of %s", (_, one, other, isSame) => {
  expect(sameChars(charCount(one, "user"), charCount(other, "user"))).toBe(isSame);
});

test("texts of different kinds do not count the same", () => {
  expect(sameChars(charCount([say("one")], "user"), charCount([say("one")], "assistant"))).toBe(
    false,
  );
});
