/** Arbitrary facts of every type, for properties over logs. */

import fc from "../properties.ts";
import type { Block, ResultBlock, UserBlock } from "../../src/protocol/block.ts";
import type { Entry, Fact, SessionFact } from "../../src/protocol/entry.ts";

export const userFact = (text: string): Fact => ({
  type: "user",
  content: [{ type: "text", text }],
});

export const sessionFact = (session = "s", version = 1): SessionFact => ({
  type: "session",
  version,
  session,
  cwd: "/work/there",
  model: "model-a",
  system: "Be good.",
  tools: [{ name: "Bash", description: "Runs.", input_schema: { type: "object" } }],
});

export const assistantFact = (text: string, calls: string[] = []): Fact => ({
  type: "assistant",
  content: [
    { type: "text", text },
    ...calls.map((id) => ({ type: "tool_use" as const, id, name: "Bash", input: { command: id } })),
  ],
  model: "model-b",
  usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
  stop: calls.length > 0 ? "tool_use" : "end_turn",
  sentAt: "2026-01-01T00:00:00.000Z",
});

export const resultFact = (toolUse: string, text: string): Fact => ({
  type: "result",
  toolUse,
  tool: "Bash",
  content: [{ type: "text", text }],
  bytes: text.length,
  lines: 1,
});

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\n", "\r\n", "\u2028", "\ud800", "\0", '{"id":"e1"}\n', "𝒳é"),
);
const count = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }));
const id = fc.nat({ max: 50 }).map((number) => `e${number}`);
// JSON has no negative zero, so it would not read back equal.
const json = fc
  .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
  .map((value): { [key: string]: unknown } => JSON.parse(JSON.stringify(value)));

const textBlock = text.map((said) => ({ type: "text" as const, text: said }));
const said: fc.Arbitrary<UserBlock & ResultBlock> = fc.oneof(
  textBlock,
  fc.record({
    type: fc.constant("image" as const),
    source: fc.record({
      type: fc.constant("base64" as const),
      media_type: fc.constantFrom("image/png" as const, "image/webp" as const),
      data: fc.base64String(),
    }),
  }),
);
const answered = fc.oneof(
  textBlock,
  fc.record({ type: fc.constant("thinking" as const), thinking: text, signature: text }),
  fc.record({ type: fc.constant("redacted_thinking" as const), data: text }),
  fc.record({ type: fc.constant("tool_use" as const), id: text, name: text, input: json }),
  fc.record({ type: fc.constant("compaction" as const), content: fc.option(text) }),
);
/** Adds fields that a later API might add to a block; they must be preserved. */
const withMore = <B extends Block>(block: fc.Arbitrary<B>) =>
  fc.tuple(json, block, fc.boolean()).map(([more, own, first]) =>
    // The order of keys matters, too: a rebuilt request must have the same bytes.
    first ? { ...more, ...own } : { ...own, citations: more },
  );

const price = fc.record({
  usedBefore: count,
  usedAfter: count,
  cachedBroken: count,
  usd: count,
  breakEvenCalls: fc.option(count),
});
const usage = fc.record({ input: count, cacheRead: count, cacheWrite: count, output: count });
const change = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), entry: id, text }),
  fc.record({ kind: fc.constant("input" as const), entry: id, toolUse: text, input: json }),
  fc.record({
    kind: fc.constant("cover" as const),
    span: fc.record({ from: id, to: id }),
    text,
  }),
);

export const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  fc.constant(sessionFact()),
  fc.record(
    {
      type: fc.constant("user" as const),
      content: fc.array(withMore(said)),
      uuid: text,
      midTurn: fc.constant(true as const),
    },
    { requiredKeys: ["type", "content"] },
  ),
  fc.record({
    type: fc.constant("context" as const),
    kind: fc.constantFrom("instructions" as const, "recall" as const),
    title: text,
    content: fc.array(said),
  }),
  fc.record({
    type: fc.constant("assistant" as const),
    content: fc.array(withMore(answered)),
    model: text,
    usage,
    stop: fc.constantFrom("end_turn" as const, "interrupted" as const),
    sentAt: text,
  }),
  fc.record({
    type: fc.constant("result" as const),
    toolUse: text,
    tool: text,
    content: fc.array(withMore(said)),
    bytes: count,
    lines: count,
    stamps: fc.array(
      fc.record({
        path: text,
        does: fc.constantFrom("read" as const, "write" as const),
        hash: text,
        bytes: count,
        lines: fc.tuple(fc.nat(), fc.nat()),
      }),
    ),
  }),
  fc.record({
    type: fc.constant("cut" as const),
    tier: fc.constantFrom("snip" as const, "summary" as const),
    trigger: fc.constantFrom("auto" as const, "key" as const),
    reason: text,
    changes: fc.array(change),
    price,
  }),
  fc.record({ type: fc.constant("restore" as const), cut: id, entry: id, price }),
  fc.record({ type: fc.constant("pin" as const), entry: id, on: fc.boolean() }),
  fc.record({ type: fc.constant("model" as const), model: text }),
  fc.record({
    type: fc.constant("checkpoint" as const),
    toolUse: text,
    files: fc.array(fc.record({ path: text, before: fc.option(text), after: fc.option(text) })),
  }),
  fc.record({ type: fc.constant("count" as const), tokens: count }),
  fc.record({ type: fc.constant("head" as const), why: text }),
  fc.record({
    type: fc.constant("attempt" as const),
    outcome: fc.constantFrom("declined" as const, "failed" as const),
    by: fc.constantFrom("model" as const, null),
    trigger: fc.constantFrom("auto" as const, "key" as const),
    reason: text,
    usedTokens: count,
    usage,
  }),
  fc.record({
    type: fc.constant("repair" as const),
    dropsThinking: fc.constant(true as const),
    blocks: fc.array(fc.record({ entry: id, index: count, text })),
  }),
  fc.record({
    type: fc.constant("note" as const),
    kind: fc.constantFrom("info" as const, "title" as const),
    text,
  }),
);

/** An entry in short, for readable comparisons. */
export const brief = (entry: Entry): string => `${entry.id}<${entry.parent ?? "-"} ${entry.type}`;
