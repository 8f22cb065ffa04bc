/** Sessions of any agent in one common format: a header line, then messages with content blocks. */

import { z } from "zod";
import {
  blockText,
  textSchema,
  type AssistantBlock,
  type ResultBlock,
  type TextBlock,
  type ToolUseBlock,
} from "../../src/protocol/block.ts";
import { contextFact } from "../../src/protocol/context-fact.ts";
import type { FileStamp, ResultFact } from "../../src/protocol/entry.ts";
import { stampFiles } from "../../src/commands/import/transcript.ts";
import type { ToolDefinition } from "../../src/protocol/model.ts";
import { ourCall } from "../../src/commands/import/our-call.ts";
import { RecordingError, type Before, type RecordedCall, type Recording } from "./recording.ts";

/** The recordings do not hold their tools; placeholders name this one where a run has it, as ours do. */
const recall: ToolDefinition = {
  name: "Recall",
  description: "",
  input_schema: { type: "object" },
};

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const block = z.discriminatedUnion("type", [
  textSchema,
  z.object({
    type: z.literal("thinking"),
    thinking: z.string().catch(""),
    signature: z.string().catch(""),
  }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).catch({}),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: content.nullish(),
    is_error: z.boolean().nullish(),
  }),
]);
const usage = z.object({ output_tokens: z.number().nullish() }).nullish();
const message = z.object({
  role: z.enum(["user", "assistant"]),
  content,
  ts: z.string().nullish(),
  ts_end: z.string().nullish(),
  usage,
  meta: z.looseObject({ human: z.boolean().optional(), compact: z.unknown().optional() }).nullish(),
});
const header = z.looseObject({
  session: z.string(),
  cwd: z.string().nullish(),
  output_tokens_reliable: z.boolean().nullish(),
});

type Message = z.infer<typeof message>;

export const isCommonHeader = (line: unknown): boolean => header.safeParse(line).success;

/** Skips the other agent's own summaries: what they replaced is in the recording. */
export function readCommonFormat(name: string, lines: readonly unknown[]): Recording {
  const head = header.parse(lines[0]);
  const calls: RecordedCall[] = [];
  const uses = new Map<string, ToolUseBlock>();
  let before: Before[] = [];
  let turnStart = false;
  let answeredAt: number | null = null;
  let saidAt: number | null = null;
  for (const [index, line] of lines.slice(1).entries()) {
    const parsed = message.safeParse(line);
    if (!parsed.success)
      throw new RecordingError(
        `${name}, line ${index + 2}: this is not a message with role and content.`,
      );
    const one = parsed.data;
    if (one.meta?.compact !== undefined && one.meta.compact !== null) continue;
    const at = parseTime(one.ts_end ?? one.ts);
    if (one.role === "user") {
      const human = one.meta?.human === true || (calls.length === 0 && before.length === 0);
      before.push(...toFacts(one, human, uses));
      turnStart ||= human;
      saidAt = at;
      continue;
    }
    const answer = toAnswer(one, uses);
    if (answer.length === 0) continue;
    // Between two answers, as after a summary that was left out, a request still needs a user message.
    if (before.length === 0) before.push(calls.length === 0 ? opening : continuation);
    const reliable = head.output_tokens_reliable !== false;
    const gapMs = answeredAt === null || saidAt === null ? null : saidAt - answeredAt;
    calls.push({
      before,
      gapMs: gapMs === null ? null : Math.max(0, gapMs),
      turnStart,
      answer,
      outputTokens: reliable ? (one.usage?.output_tokens ?? null) : null,
    });
    before = [];
    turnStart = false;
    answeredAt = at ?? answeredAt;
  }
  return { name, cwd: head.cwd ?? "/", system: null, tools: [recall], calls };
}

/** A recording may begin with an answer, but a request cannot. */
const opening = contextFact("reminder", "reminder", "The recording begins here.");

const continuation = contextFact("reminder", "reminder", "Continue.");

function toFacts(one: Message, human: boolean, uses: ReadonlyMap<string, ToolUseBlock>): Before[] {
  const facts: Before[] = [];
  const words: TextBlock[] = [];
  for (const part of parseBlocks(one.content)) {
    if (part.type === "tool_result") facts.push(toResult(part, uses));
    else if (part.type === "text" && part.text.trim() !== "") words.push(part);
  }
  if (words.length > 0) {
    facts.push(
      human
        ? { type: "user", content: words }
        : { type: "context", kind: "reminder", title: "reminder", content: words },
    );
  }
  return facts;
}

function toResult(
  result: Extract<z.infer<typeof block>, { type: "tool_result" }>,
  uses: ReadonlyMap<string, ToolUseBlock>,
): ResultFact {
  const shown = toParts(result.content ?? "").map((part): ResultBlock => {
    const { data } = block.safeParse(part);
    return data?.type === "text" ? data : { type: "text", text: JSON.stringify(part) };
  });
  const text = blockText(shown);
  const use = uses.get(result.tool_use_id);
  const stamps = use && result.is_error !== true ? stampKnown(use) : [];
  return {
    type: "result",
    toolUse: result.tool_use_id,
    tool: use?.name ?? "unknown",
    content: shown,
    bytes: Buffer.byteLength(text),
    lines: text.split("\n").length,
    ...(result.is_error === true ? { isError: true as const } : {}),
    ...(stamps.length > 0 ? { stamps } : {}),
  };
}

function toAnswer(one: Message, uses: Map<string, ToolUseBlock>): AssistantBlock[] {
  return parseBlocks(one.content).flatMap((part): AssistantBlock[] => {
    if (part.type === "text" || part.type === "thinking") return [part];
    if (part.type !== "tool_use") return [];
    const call = { ...part, ...ourCall(part) };
    uses.set(call.id, call);
    return [call];
  });
}

const toParts = (from: z.infer<typeof content>) =>
  typeof from === "string" ? [{ type: "text", text: from }] : from;

/** Without those of other kinds. */
const parseBlocks = (from: z.infer<typeof content>): z.infer<typeof block>[] =>
  toParts(from).flatMap((part) => block.safeParse(part).data ?? []);

/** A path with a redacted part may be any file. */
const stampKnown = (use: ToolUseBlock): FileStamp[] =>
  stampFiles(use).filter(({ path }) => !path.includes("REDACTED"));

function parseTime(at: string | null | undefined): number | null {
  const ms = at ? Date.parse(at) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
