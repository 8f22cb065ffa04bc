/** A short session with everything that a transcript can contain, for screen tests. */

import type { Fact } from "../../src/protocol/entry.ts";

const at = "2026-01-01T00:00:00.000Z";
const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 60 });

const said = (text: string): Fact => ({ type: "user", content: [{ type: "text", text }] });

const answered = (text: string, input: number): Fact => ({
  type: "assistant",
  content: [{ type: "text", text }],
  model: "scripted",
  usage: usage(input),
  stop: "end_turn",
  sentAt: at,
});

const called = (id: string, name: string, path: string, input: number): Fact => ({
  type: "assistant",
  content: [{ type: "tool_use", id, name, input: { path } }],
  model: "scripted",
  usage: usage(input),
  stop: "tool_use",
  sentAt: at,
});

const given = (toolUse: string, tool: string, text: string): Fact => ({
  type: "result",
  toolUse,
  tool,
  content: [{ type: "text", text }],
  bytes: text.length,
  lines: text.split("\n").length,
});

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${name} ${n + 1}`).join("\n");

const code = "Two ways:\n\n```ts\nconst a = 1;\n```\n\n```ts\nconst b = 2;\n```";

/** Ids start at e2: e1 is the session. */
export const past: Fact[] = [
  said("Where is the harbour?"), // e2
  called("t1", "Read", "harbour.txt", 1_000),
  given("t1", "Read", lines("quay", 300)), // e4
  answered("It is behind `harbour.txt:12`.", 2_000),
  said("And the lighthouse?"), // e6
  called("t2", "Read", "lighthouse.log", 2_200),
  {
    type: "result",
    toolUse: "t2",
    tool: "Read",
    content: [{ type: "text", text: lines("lamp", 20) }],
    bytes: 52_428_800,
    lines: 4_000_000,
    file: "lines:4000000",
  },
  called("t3", "Read", "keeper.txt", 2_500),
  given("t3", "Read", lines("keeper", 200)), // e10
  answered("The keeper knows.", 4_200),
  {
    type: "cut",
    tier: "microcompact",
    trigger: "idle",
    reason: "The cache is cold.",
    changes: [{ kind: "replace", entry: "e10", text: "[cleared: Read keeper.txt, #e10]" }],
    price: { usedBefore: 4_260, usedAfter: 2_560, cachedBroken: 0, usd: 0, breakEvenCalls: 0 },
  },
  {
    type: "cut",
    tier: "summary",
    trigger: "key",
    reason: "Asked for.",
    changes: [
      { kind: "cover", span: { from: "e2", to: "e5" }, text: "The harbour is in harbour.txt." },
    ],
    price: { usedBefore: 2_560, usedAfter: 1_660, cachedBroken: 0, usd: 0.02, breakEvenCalls: 4 },
    summary: {
      by: "model",
      turns: 2,
      instructionsPutBack: ["Never touch the quay."],
      losses: [{ kind: "path", text: "harbour.txt:12", entry: "e5" }],
    },
  },
  said("Show me code."),
  answered(code, 1_700),
];
