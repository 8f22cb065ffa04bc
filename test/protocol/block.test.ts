import { expect, test } from "bun:test";
import { filePathOf, isThinking, subjectOf, textOf } from "../../src/protocol/block.ts";

test("the file of a call is a path that is not empty", () => {
  expect(filePathOf({ file_path: "/a" })).toBe("/a");
  expect(filePathOf({ file_path: "" })).toBeNull();
  expect(filePathOf({ file_path: 1 })).toBeNull();
  expect(filePathOf({})).toBeNull();
});

test("a call is about its most telling input", () => {
  const input = { description: "List files", command: "ls", path: 3 };
  expect(subjectOf(input)).toEqual({ key: "command", text: "ls" });
  expect(subjectOf({ path: 3, query: "why" })).toEqual({ key: "query", text: "why" });
  expect(subjectOf({ limit: "3" })).toBeUndefined();
});

test("the text of a message is that of its text blocks", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "s" } as const;
  const redacted = { type: "redacted_thinking", data: "d" } as const;
  const [one, two] = ["one", "two"].map((text) => ({ type: "text" as const, text }));
  if (!one || !two) throw new Error("no blocks");
  expect(textOf([one, thinking, two])).toBe("one\ntwo");
  expect([one, thinking, redacted].map(isThinking)).toEqual([false, true, true]);
});
