import { expect, test } from "bun:test";
import { LoopGuard } from "../../src/agent/limits.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Entry } from "../../src/protocol/entry.ts";

let serial = 0;

/** A call and its result, as the guard gets them; with a new id each time. */
function called(command: string, output: string): [ToolUseBlock, Entry] {
  const id = `t${++serial}`;
  const call: ToolUseBlock = { type: "tool_use", id, name: "Bash", input: { command } };
  const result: Entry = {
    id: `e${serial}`,
    parent: null,
    at: "",
    type: "result",
    toolUse: id,
    tool: "Bash",
    content: [{ type: "text", text: output }],
    bytes: 0,
    lines: 0,
  };
  return [call, result];
}

const check = (guard: LoopGuard, command: string, output: string): string | null => {
  const [call, result] = called(command, output);
  return guard.check([call], [result]);
};

test("the 25th identical result in a row ends the turn", () => {
  const guard = new LoopGuard();
  for (let times = 1; times < 25; times++) expect(check(guard, "tsc", "1 error")).toBeNull();
  expect(check(guard, "tsc", "1 error")).toStartWith("The model made the same Bash call 25 times");
});

test("a new result of any call counts as progress", () => {
  const guard = new LoopGuard();
  for (let round = 0; round < 5; round++) {
    for (let times = 0; times < 20; times++) expect(check(guard, "tsc", "1 error")).toBeNull();
    expect(check(guard, "cat", `version ${round}`)).toBeNull();
  }
});

test("alternating calls are a loop too", () => {
  const guard = new LoopGuard();
  const said: (string | null)[] = [];
  for (let times = 0; times < 25; times++) {
    said.push(check(guard, "a", "same"), check(guard, "b", "same"));
  }
  expect(said.slice(0, 48).every((message) => message === null)).toBe(true);
  expect(said[49]).not.toBeNull();
});

test("the same call with a different result is not a loop", () => {
  const guard = new LoopGuard();
  for (let times = 0; times < 60; times++) expect(check(guard, "date", `${times}`)).toBeNull();
});

test("a call without a result is ignored, the next one is not", () => {
  const guard = new LoopGuard();
  const [open] = called("sleep", "");
  for (let times = 1; times < 25; times++) {
    const [call, result] = called("tsc", "1 error");
    expect(guard.check([open, call], [result])).toBeNull();
  }
  const [call, result] = called("tsc", "1 error");
  expect(guard.check([open, call], [result])).not.toBeNull();
});
