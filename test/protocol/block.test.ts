import { expect, test } from "bun:test";
import { findFilePath, isThinking, findSubject, blockText } from "../../src/protocol/block.ts";

test("the file of a call is a path that is not empty", () => {
  expect(findFilePath({ file_path: "/a" })).toBe("/a");
  expect(findFilePath({ file_path: "" })).toBeNull();
  expect(findFilePath({ file_path: 1 })).toBeNull();
  expect(findFilePath({})).toBeNull();
});

test("a call is about its most telling input", () => {
  const input = { description: "List files", command: "ls", path: 3 };
  expect(findSubject(input)).toEqual({ key: "command", text: "ls" });
  expect(findSubject({ path: 3, query: "why" })).toEqual({ key: "query", text: "why" });
  expect(findSubject({ limit: "3" })).toBeUndefined();
});

test("the text of a message is that of its text blocks", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "s" } as const;
  const redacted = { type: "redacted_thinking", data: "d" } as const;
  const [one, two] = ["one", "two"].map((text) => ({ type: "text" as const, text }));
  if (!one || !two) throw new Error("no blocks");
  expect(blockText([one, thinking, two])).toBe("one\ntwo");
  expect([one, thinking, redacted].map(isThinking)).toEqual([false, true, true]);
});
