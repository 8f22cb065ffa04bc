/** A turn ends soon when nothing that the model calls can run. */

import { expect, test } from "bun:test";
import {
  blockText,
  unreadableInputKey,
  type ToolInput,
  type ToolUseBlock,
} from "../../src/protocol/block.ts";
import type { Stop } from "../../src/protocol/model.ts";
import { ending, of, prompt, run, type RunOptions } from "./harness.ts";
import { says, type Scripted, text, use } from "./scripted.ts";

/** A call with this input. */
const useWith = (id: string, input: ToolInput): ToolUseBlock => {
  return { type: "tool_use", id, name: "free", input };
};

/** Answers that end at the output limit in the middle of a call, each with another input. */
const cutWrites = (count: number): Scripted[] =>
  Array.from({ length: count }, (_, at) => ({
    blocks: [
      { ...useWith(`w${at}`, { [unreadableInputKey]: `{"content":"${at}` }), name: "Write" },
    ],
    stop: "max_tokens",
  }));

test("a file that does not fit into an answer is written in pieces, or the turn ends", async () => {
  const { log, model, events, toolbox } = await run(cutWrites(9));
  expect(model.requests).toHaveLength(4);
  expect(toolbox.ran).toEqual([]);
  const [first] = of(log.path, "result");
  expect(blockText(first?.content ?? [])).toMatch(/in pieces of at most \d+ lines: .*Edit/);
  const told = of(log.path, "context").filter(({ title }) => title === "no progress");
  expect(told.map(({ content }) => blockText(content))).toEqual([
    expect.stringContaining("begin with the first 20 lines alone"),
  ]);
  expect(ending(events)).toMatchObject({
    why: "failed",
    message: expect.stringContaining("Write calls were repeatedly cut off at the output limit"),
  });
});

test("a call that was cut off before its input began is not run; one that is complete runs", async () => {
  const blocks = [{ ...useWith("whole", { x: 1 }), name: "read" }, use("cut", "free")];
  const { toolbox, log } = await run([{ blocks, stop: "max_tokens" }, says("ok")]);
  expect(toolbox.ran).toEqual(["whole"]);
  const results = of(log.path, "result").map(({ toolUse, isError }) => [toolUse, isError]);
  expect(results).toEqual([
    ["whole", undefined],
    ["cut", true],
  ]);
});

test("the next answer may be longer where the limit is a guess and the window has room", async () => {
  const limits = async (changes: RunOptions["rules"]): Promise<number[]> => {
    const { model } = await run(cutWrites(9), { rules: { outputTokens: 2_000, ...changes } });
    return model.requests.map(({ maxTokens }) => maxTokens);
  };
  expect(await limits({ outputCeiling: 50_000 })).toEqual([2_000, 2_000, 4_000, 8_000]);
  expect(await limits({ outputCeiling: 3_000 })).toEqual([2_000, 2_000, 3_000, 3_000]);
  expect(await limits({})).toEqual([2_000, 2_000, 2_000, 2_000]);
  // Half of the room, less what the estimate may be wrong by.
  const last = (await limits({ outputCeiling: 50_000, windowTokens: 12_000 })).at(-1);
  expect(last).toBeWithin(5_000, 5_900);
});

test.each<[Stop, string, message: string]>([
  ["max_tokens", "words", "reached the model's output limit several times"],
  ["pause_turn", "words", "keeps pausing"],
  ["end_turn", "", "keeps sending empty answers"],
])(
  "answers that end with %s do not go on for ever because calls come in between",
  async (stop, words, message) => {
    const script = Array.from({ length: 60 }, (_, at): Scripted =>
      at % 2 ? { blocks: [useWith(`c${at}`, { at })] } : { ...says(words), stop },
    );
    const { model, events } = await run(script);
    expect(model.requests).toHaveLength(25);
    expect(ending(events).message).toContain(message);
  },
);

test("an empty answer is asked for once more", async () => {
  // Its text was shown and then taken back.
  const empty = says("");
  const again = await run([empty, says("Here I am.")]);
  expect(ending(again.events).why).toBe("done");
  const contents = of(again.log.path, "assistant").map(({ content }) => content);
  expect(contents).toEqual([[], [text("Here I am.")]]);
  const twice = await run([empty, empty]);
  expect(ending(twice.events)).toMatchObject({
    why: "failed",
    message: expect.stringContaining("empty answers"),
  });
});

test.each<[Scripted, string]>([
  [{ stop: "refusal" }, "declined"],
  [{ stop: "model_context_window_exceeded" }, "full"],
  [{ stop: "unknown", detail: "it said “eaten”" }, "it said “eaten”"],
])("an answer that ends with %j is no success", async (end, words) => {
  const message: unknown = expect.stringContaining(words);
  const { events } = await run([{ blocks: [text("I will")], ...end }]);
  expect(ending(events)).toMatchObject({ why: "failed", message });
});

test("a turn of an attended session pauses after its number of calls, and a prompt continues it", async () => {
  const calling = Array.from({ length: 9 }, (_, at): Scripted => ({
    blocks: [useWith(`c${at}`, { at })],
  }));
  const { model, events } = await run(calling, {
    agent: { limits: { maxCalls: 4, isAttended: true } },
    next: [prompt("continue")],
  });
  expect(model.requests).toHaveLength(8);
  expect(ending(events).message).toBe(
    "This turn has made 4 calls, as many as the setting maxCalls lets it. Send “continue” to go on.",
  );
});
