/**
 * A line of a Codex rollout (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`): a time, a type
 * and a payload.
 */

import { z } from "zod";
import type { Marks } from "../blocks.ts";
import { anything, count, isRecord, maybe, text } from "../json.ts";

const itemSchema = z.object({
  type: z.string(),
  role: text,
  content: anything,
  summary: anything,
  id: text,
  call_id: text,
  name: text,
  namespace: text,
  arguments: anything,
  input: anything,
  output: anything,
  action: anything,
  tools: anything,
});

export type Item = z.infer<typeof itemSchema>;

const unreadable: Item = itemSchema.parse({ type: "unreadable" });

const metaSchema = z.object({
  id: text,
  session_id: text,
  cwd: text,
  timestamp: anything,
  source: anything,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: count })),
});

const eventSchema = z.object({
  type: z.string(),
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  num_turns: count,
  thread_name: text,
  turn_id: text,
  message: text,
});

export type Event = z.infer<typeof eventSchema>;

const compactedSchema = z.object({
  message: text,
  replacement_history: maybe(z.array(itemSchema.catch(unreadable))),
});

export type Compacted = z.infer<typeof compactedSchema>;

const place = {
  timestamp: anything,
  /** Counts the lines of a thread, over all its files; null in old files. */
  ordinal: count,
};

const lineSchema = z.discriminatedUnion("type", [
  z.object({ ...place, type: z.literal("session_meta"), payload: metaSchema }),
  z.object({
    ...place,
    type: z.literal("turn_context"),
    payload: z.object({ cwd: text, model: text }),
  }),
  z.object({ ...place, type: z.literal("response_item"), payload: itemSchema }),
  z.object({ ...place, type: z.literal("event_msg"), payload: eventSchema }),
  z.object({ ...place, type: z.literal("compacted"), payload: compactedSchema }),
]);

const lineTypes = new Set<string>(lineSchema.options.map(({ shape }) => shape.type.value));

const otherLine = z.object({ ...place, type: z.string() }).transform(({ type, ...line }) => {
  return { ...line, type: "other" as const, name: unreadableKinds.get(type) ?? type };
});

/** Any other line is counted under its name when it is skipped. */
export type CodexLine = z.infer<typeof lineSchema> | z.infer<typeof otherLine>;

/** Names of lines that have one of our types, but cannot be read. */
const unreadableKinds = new Map([
  ["response_item", "unreadable items"],
  ["event_msg", "unreadable events"],
]);

/** Null when Codex does not write such lines. */
export function parseLine(json: unknown): CodexLine | null {
  if (!isRecord(json) || typeof json["type"] !== "string" || !isRecord(json["payload"]))
    return null;
  return lineSchema.safeParse(json).data ?? otherLine.parse(json);
}

/** Whether only Codex writes such a line. */
export const isCodexLine = (json: unknown): boolean =>
  isRecord(json) &&
  !("parent" in json || "sessionId" in json || "uuid" in json) &&
  isRecord(json["payload"]) &&
  lineTypes.has(String(json["type"]));

/** Title of the message that says that the user interrupted the turn. */
export const interrupted = "interrupted";

export const marks: Marks = [
  [/^<environment_context>/, "environment", "environment"],
  [
    /^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md instructions)/,
    "instructions",
    "instructions",
  ],
  [/^<user_shell_command>/, "shell", "shell"],
  [
    /^<(subagent_notification|skill|permissions instructions|collaboration_mode)\b/,
    "reminder",
    "reminder",
  ],
  [/^<turn_aborted\b/, "reminder", interrupted],
];

/** The folder, as Codex mentions it to the model. */
export function findFolder(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
