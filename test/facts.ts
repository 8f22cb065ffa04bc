/** Plain facts and entries, for tests that do not care about their details. */

import type { AssistantBlock } from "../src/protocol/block.ts";
import type { Fact } from "../src/protocol/entry.ts";
import type { Usage } from "../src/protocol/model.ts";

export const at = "2026-01-01T00:00:00.000Z";

type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** A session that began with these tools. */
export const sessionWith = (...tools: string[]): FactOf<"session"> => ({
  type: "session",
  version: 1,
  session: "s",
  cwd: "/w",
  model: "m",
  system: "",
  tools: tools.map((name) => ({ name, description: "", input_schema: { type: "object" } })),
});

export const answer = (
  usage: Usage,
  content: AssistantBlock[] = [],
  more: Partial<FactOf<"assistant">> = {},
): FactOf<"assistant"> => ({
  type: "assistant",
  content,
  model: "m",
  usage,
  stop: "end_turn",
  sentAt: at,
  ...more,
});

/** A cut that costs nothing. */
export const freeCut = (more: Partial<FactOf<"cut">> = {}): FactOf<"cut"> => ({
  type: "cut",
  tier: "summary",
  trigger: "auto",
  reason: "",
  changes: [],
  price: { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null },
  ...more,
});

/** A tool's result without text; a subagent's report unless specified otherwise. */
export const makeReport = (more: Partial<FactOf<"result">>): FactOf<"result"> => ({
  type: "result",
  toolUse: "t",
  tool: "Agent",
  content: [],
  bytes: 0,
  lines: 0,
  ...more,
});
