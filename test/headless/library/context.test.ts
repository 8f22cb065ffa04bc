import { expect, test } from "bun:test";
import { createContext, type AnyMessage } from "../../../src/headless/library/context.ts";

const usage = (input_tokens: number) => ({ input_tokens, output_tokens: 40 });

/** A conversation that reads the same file again and again. */
const reading = (reads: number): AnyMessage[] =>
  Array.from({ length: reads }, (_, index): AnyMessage[] => [
    { role: "user", content: `Look again, ${index}` },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: `t${index}`, name: "Read", input: { file_path: "/a.txt" } },
      ],
      stop_reason: "tool_use",
      usage: usage(2_000 + index * 6_000),
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `t${index}`, content: `${index} line\n`.repeat(2_000) },
      ],
    },
    { role: "assistant", content: "Seen.", usage: usage(8_000 + index * 6_000) },
  ]).flat();

const open = (messages: readonly AnyMessage[], now = () => 0) =>
  createContext({
    model: "claude-sonnet-4-5",
    system: "Be brief.",
    tools: [{ name: "Read", description: "Reads.", input_schema: { type: "object" } }],
    messages,
    rules: { windowTokens: 60_000 },
    now,
  });

test("the messages are sent unchanged, with cache marks, while nothing is cut; the meter trusts their usage", () => {
  const context = open(reading(2));
  const { usedTokens, windowTokens } = context.meter();
  expect(windowTokens).toBe(60_000);
  expect(Math.abs(usedTokens - 14_040)).toBeLessThan(500);
  const roles = context.messages.map(({ role }) => role);
  expect(roles.join(" ")).toBe("user assistant user assistant ".repeat(2).trim());
  context.push({ role: "user", content: [{ type: "text", text: "And?" }] });
  const request = context.request();
  const sent = { model: "claude-sonnet-4-5", system: [{ text: "Be brief." }] };
  expect(request).toMatchObject({ ...sent, tools: [{ name: "Read" }] });
  expect(JSON.stringify(request.messages)).toContain("cache_control");
  expect(context.plan()).toBeNull();
});

test("in a cold cache old results are cut, each with its reason; a cut is undone exactly", async () => {
  let nowMs = 0;
  const context = open(reading(7), () => nowMs);
  const before = JSON.stringify(context.messages);
  nowMs = 10 * 60_000;
  expect(context.plan()?.reason).toBeString();
  const cuts = await context.compact();
  expect(cuts.length).toBeGreaterThan(0);
  expect(cuts.every(({ price }) => price.usedAfter < price.usedBefore)).toBe(true);
  expect(context.plan()).toBeNull();
  for (const cut of cuts.toReversed()) context.undo(cut);
  expect(JSON.stringify(context.messages)).toBe(before);
  expect(() => context.undo({ id: "e1" })).toThrow(/no cut e1/);
});

test("a summary is written by the caller's model, or built without one", async () => {
  const summary = `<summary>1. Intent: look at the file.\n${"It was read. ".repeat(10)}</summary>`;
  const sent: string[] = [];
  const written = open(reading(5));
  const [cut] = await written.compact({
    now: true,
    summarize: async ({ purpose, messages }) => {
      sent.push(purpose, JSON.stringify(messages.at(-1)));
      return summary;
    },
  });
  expect(cut).toMatchObject({ tier: "summary" });
  expect(sent[0]).toBe("summary");
  expect(JSON.stringify(written.messages)).toContain("It was read.");
  const built = open(reading(5));
  await built.compact({ now: true });
  expect(JSON.stringify(built.messages)).toContain("built without a model");
  expect(built.meter().usedTokens).toBeLessThan(open(reading(5)).meter().usedTokens / 2);
});

test("a message of the user holds results, then what was said; usage that is not valid is none, and any reason to stop is accepted", () => {
  const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
  const source = { type: "base64", media_type: "image/png", data: "AA==" };
  const results = [
    { type: "tool_result", tool_use_id: "a", content: "one", is_error: true },
    { type: "tool_result", tool_use_id: "b", content: [{ type: "image", source }] },
    { type: "tool_result", tool_use_id: "c" },
  ];
  const context = open([
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: ["a", "b", "c"].map(call),
      stop_reason: "of_a_later_version",
      usage: { input_tokens: "many" },
    },
    { role: "user", content: [{ type: "text", text: "And now?" }, ...results] },
  ]);
  expect(context.messages.at(-1)?.content).toMatchObject([
    { tool_use_id: "a", content: [{ text: "one" }], is_error: true },
    { tool_use_id: "b", content: [{ type: "image" }] },
    { tool_use_id: "c" },
    { text: "And now?" },
  ]);
  expect(context.meter().cost.session).toBe(0);
});

test("a message that cannot be used is refused in a sentence", () => {
  expect(() => open([{ role: "user", content: [{ type: "document" }] }])).toThrow(
    /This message cannot be used/,
  );
});
