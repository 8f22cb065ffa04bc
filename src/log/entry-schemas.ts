/** A schema for every type of fact. Unknown fields of blocks and facts are kept. */

import { z } from "zod";
import { imageMediaTypes } from "../protocol/block.ts";
import type { Fact } from "../protocol/entry.ts";
import { stops } from "../protocol/model.ts";

const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const image = z.looseObject({
  type: z.literal("image"),
  source: z.looseObject({
    type: z.literal("base64"),
    media_type: z.enum(imageMediaTypes),
    data: z.string(),
  }),
});
const thinking = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});
const redacted = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const compaction = z.looseObject({
  type: z.literal("compaction"),
  content: z.string().nullable(),
  encrypted_content: z.string().nullable().exactOptional(),
  signature: z.string().nullable().exactOptional(),
});

const said = z.array(z.discriminatedUnion("type", [text, image]));
const answered = z.array(
  z.discriminatedUnion("type", [text, thinking, redacted, toolUse, compaction]),
);

const count = z.number();
const flag = z.literal(true).exactOptional();
const usage = z.looseObject({
  input: count,
  cacheRead: count,
  cacheWrite: count,
  cacheWrite1h: count.exactOptional(),
  output: count,
});
const usd = z.number().nonnegative();
const priceList = {
  input: usd,
  output: usd,
  cacheRead: usd,
  cacheWrite5m: usd,
  cacheWrite1h: usd,
};
const prices = z.looseObject({
  ...priceList,
  beyond: z.looseObject({ promptTokens: count, ...priceList }).exactOptional(),
});
const price = z.looseObject({
  usedBefore: count,
  usedAfter: count,
  cachedBroken: count,
  usd: count,
  breakEvenCalls: count.nullable(),
});
const stamp = z.looseObject({
  path: z.string(),
  does: z.enum(["read", "write"]),
  hash: z.string(),
  bytes: count,
  lines: z.tuple([count, count]).exactOptional(),
});
const change = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("replace"), entry: z.string(), text: z.string() }),
  z.looseObject({
    kind: z.literal("input"),
    entry: z.string(),
    toolUse: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    kind: z.literal("cover"),
    span: z.looseObject({ from: z.string(), to: z.string() }),
    text: z.string(),
    block: compaction.exactOptional(),
    kept: z.string().exactOptional(),
  }),
]);
const trigger = z.enum(["auto", "idle", "key", "command", "model", "too-long", "inspector"]);
const summary = z.looseObject({
  by: z.enum(["model", "extract", "server"]),
  focus: z.string().exactOptional(),
  usage: usage.exactOptional(),
  messages: count,
  instructionsPutBack: z.array(z.string()),
  losses: z.array(
    z.looseObject({
      kind: z.enum(["path", "error", "identifier", "number", "decision", "instruction"]),
      text: z.string(),
      entry: z.string(),
    }),
  ),
});
const stop = z.enum(stops);
const tools = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string(),
    input_schema: z.looseObject({ type: z.literal("object") }),
  }),
);

const spent = z.looseObject({ model: z.string(), usage, usd: z.number().nonnegative() });

const subagent = spent.extend({ session: z.string(), type: z.string(), calls: count });

const schemas = [
  z.looseObject({
    type: z.literal("session"),
    version: count,
    session: z.string(),
    cwd: z.string(),
    model: z.string(),
    system: z.string(),
    tools,
    imported: z
      .looseObject({ agent: z.string(), id: z.string(), file: z.string(), bytes: count })
      .exactOptional(),
    startedBy: z
      .looseObject({ session: z.string(), toolUse: z.string(), type: z.string() })
      .exactOptional(),
  }),
  z.looseObject({ type: z.literal("user"), content: said, uuid: z.string().exactOptional() }),
  z.looseObject({
    type: z.literal("context"),
    kind: z.enum([
      "instructions",
      "environment",
      "mode",
      "shell",
      "recall",
      "reminder",
      "tools",
      "attachment",
    ]),
    title: z.string(),
    content: said,
    subagent: subagent.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("assistant"),
    content: answered,
    model: z.string(),
    usage,
    stop,
    sentAt: z.string(),
    droppedThinking: count.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("result"),
    toolUse: z.string(),
    tool: z.string(),
    content: said,
    bytes: count,
    lines: count,
    file: z.string().exactOptional(),
    isError: flag,
    loads: tools.exactOptional(),
    stamps: z.array(stamp).exactOptional(),
    subagent: subagent.exactOptional(),
    spent: spent.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("cut"),
    tier: z.enum(["persist", "budget", "snip", "microcompact", "summary", "manual"]),
    trigger,
    reason: z.string(),
    changes: z.array(change),
    price,
    midLoop: flag,
    summary: summary.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("restore"),
    cut: z.string(),
    entry: z.string().exactOptional(),
    price,
  }),
  z.looseObject({ type: z.literal("pin"), entry: z.string(), on: z.boolean() }),
  z.looseObject({
    type: z.literal("model"),
    model: z.string(),
    pricesBefore: prices.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("checkpoint"),
    toolUse: z.string(),
    files: z.array(
      z.looseObject({
        path: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal("count"),
    tokens: count,
    windowTokens: count.exactOptional(),
  }),
  z.looseObject({ type: z.literal("refresh"), sentAt: z.string(), usage }),
  z.looseObject({ type: z.literal("head"), why: z.string() }),
  z.looseObject({
    type: z.literal("attempt"),
    outcome: z.enum(["declined", "stopped", "failed", "refused"]),
    by: z.enum(["model", "server"]).nullable(),
    trigger,
    reason: z.string(),
    usedTokens: count,
    usage: usage.exactOptional(),
  }),
  z.looseObject({
    type: z.literal("repair"),
    dropsThinking: flag,
    blocks: z.array(z.looseObject({ entry: z.string(), index: count, text: z.string() })),
  }),
  z.looseObject({
    type: z.literal("note"),
    kind: z.enum(["error", "warning", "info", "permission", "title"]),
    text: z.string(),
    spent: spent.exactOptional(),
  }),
] as const;

/** By type. `unknown` is not among them: it is what the rest becomes. */
export const entrySchemas = new Map<string, z.ZodType<Fact>>(
  schemas.map((schema) => [schema.shape.type.value, schema]),
);
