import { expect, test } from "bun:test";
import { reduce, initialState } from "../../../src/tui/state.ts";
import { itemsOf } from "../../../src/tui/list.ts";
import { startsBlock } from "../../../src/tui/transcript/item-layout.ts";
import { turnText } from "../../../src/tui/transcript/turn-text.ts";
import { Builder } from "../../context/build.ts";

const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 40 };

test("a turn with every call of the model, priced call by call", () => {
  const usages = [usage, { input: 10, cacheRead: 5_800, cacheWrite: 200, output: 372 }];
  const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  expect(turnText({ ms: 14_200, toolCalls: 5, usages }, prices)).toBe(
    "14.2 s · 5 tool calls · 6.1k tokens read (5.8k from cache), 412 written · $0.0051",
  );
});

test("leaves out what is zero", () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(turnText({ ms: 200, toolCalls: 0, usages: [usage] }, free)).toBe(
    "100 tokens read, 40 written",
  );
});

test("every finished turn ends with its totals, in a resumed session too", () => {
  const session = new Builder();
  session.user("One");
  session.answer([{ type: "tool_use", id: "c1", name: "Bash", input: {} }], { stop: "tool_use" });
  session.result("c1", "ok");
  session.answer([{ type: "text", text: "Done." }]);
  session.user("Two");
  const resumed = reduce(initialState("m", "default"), { type: "resume", entries: session.path });
  const items = [...itemsOf(resumed.items)];
  expect(items.map(({ kind }) => kind)).toEqual(["user", "tool", "text", "turn", "user"]);
  const turn = items[3];
  expect(turn?.kind === "turn" && [turn.toolCalls, turn.usages.length]).toEqual([1, 2]);
});

test("blocks are separated, rows of a block are not", () => {
  expect(startsBlock("note", null)).toBe(false);
  expect(startsBlock("tool", "user")).toBe(true);
  expect(startsBlock("tool", "tool")).toBe(false);
  expect(startsBlock("text", "tool")).toBe(true);
  expect(startsBlock("stop", "text")).toBe(false);
});
