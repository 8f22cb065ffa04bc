import { expect, test } from "bun:test";
import { entryNamed, uuidOf } from "../../src/print/wire.ts";
import { entry } from "./printed.ts";

const text = (words: string) => ({ type: "text" as const, text: words });
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
const { entry: user } = entry({ type: "user", content: [text("a"), text("b")], uuid: "u1" });
const { entry: answer } = entry({
  type: "assistant",
  content: [text("one"), text("two")],
  model: "m",
  usage,
  stop: "end_turn",
  sentAt: "",
});
const path = [user, answer];

test.each([
  ["the client's own name", "u1", user],
  ["a message's", uuidOf(user), user],
  ["the first block's", uuidOf(answer, 0), answer],
  ["the last block's", uuidOf(answer, 1), answer],
  ["no block's", uuidOf(answer, 2), undefined],
  ["no message's", uuidOf(user, 1), undefined],
])("an entry is found by %s", (_, uuid, found) => {
  expect(entryNamed(uuid, path)).toBe(found);
});
