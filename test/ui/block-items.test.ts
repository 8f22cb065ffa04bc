import { expect, test } from "bun:test";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { emptyDerivedState, withEntry } from "../../src/ui/derived-state.ts";
import { itemsOf } from "../../src/ui/list.ts";
import { itemText } from "../../src/ui/transcript/item-text.ts";

const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

test("items of an answer read their text and call from it when they are asked", () => {
  const answer: EntryOf<"assistant"> = {
    id: "e1",
    parent: null,
    at: "2026-01-01T00:00:00.000Z",
    type: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "text", text: "I write it." },
      { type: "tool_use", id: "t1", name: "Bash", input: { command: "make" } },
    ],
    model: "m",
    usage,
    stop: "tool_use",
    sentAt: "2026-01-01T00:00:00.000Z",
  };
  const result: EntryOf<"result"> = {
    id: "e2",
    parent: "e1",
    at: "2026-01-01T00:00:01.000Z",
    type: "result",
    toolUse: "t1",
    tool: "Bash",
    content: [{ type: "text", text: "made" }],
    bytes: 4,
    lines: 1,
  };
  const { items } = [answer, result].reduce(withEntry, emptyDerivedState("m"));
  const { content } = answer;
  let reads = 0;
  // Like the text of an old entry, it is read from the disk.
  Object.defineProperty(answer, "content", {
    get() {
      reads++;
      return content;
    },
  });
  const all = [...itemsOf(items)];
  expect(all.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
    "e1.0 thinking",
    "e1.1 text",
    "e1.2 tool",
  ]);
  expect(reads).toBe(0);
  expect(all.map(itemText)).toEqual(["Hm.", "I write it.", expect.stringContaining("made")]);
  const [, , call] = all;
  expect(call?.kind === "tool" ? call.call : null).toMatchObject({ id: "t1", name: "Bash" });
  expect(reads).toBeGreaterThan(0);
});
