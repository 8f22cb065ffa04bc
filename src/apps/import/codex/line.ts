/**
 * A line of a Codex rollout (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`): a time, a type
 * and a payload. Until summer 2025 a line was the bare payload, after a header without a type.
 */

import { z } from "zod";
import { anything, isRecord, maybe } from "../json.ts";

const text = maybe(z.string());

const wrapped = z.object({
  timestamp: anything,
  ordinal: maybe(z.number()),
  type: z.string(),
  payload: z.looseObject({}),
});

export const itemSchema = z.object({
  type: z.string(),
  role: text,
  content: anything,
  summary: anything,
  encrypted_content: text,
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

export const metaSchema = z.object({
  id: text,
  session_id: text,
  cwd: text,
  timestamp: anything,
  source: anything,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: maybe(z.number()) })),
});

export const eventSchema = z.object({
  type: z.string(),
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  num_turns: maybe(z.number()),
  thread_name: text,
  turn_id: text,
  message: text,
});

export type Event = z.infer<typeof eventSchema>;

export const compactedSchema = z.object({
  message: text,
  replacement_history: maybe(z.array(itemSchema.catch(unreadable))),
});
export const contextSchema = z.object({ cwd: text, model: text });

/** A parsed line; `type` determines the schema of its payload. */
export type CodexLine = {
  type: "session_meta" | "turn_context" | "response_item" | "event_msg" | "compacted" | "other";
  /** The name under which it is counted when skipped. */
  name: string;
  /** Counts the lines of a thread, over all its files; null in old files. */
  ordinal: number | null;
  timestamp: unknown;
  payload: unknown;
};

const types = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"] as const;

/** The items of old files. */
const bareItems = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "local_shell_call",
  "custom_tool_call",
  "custom_tool_call_output",
  "web_search_call",
]);

const isBareHeader = (json: { [key: string]: unknown }): boolean =>
  !("type" in json) &&
  typeof json["id"] === "string" &&
  "timestamp" in json &&
  "instructions" in json;

const isBareItem = (json: { [key: string]: unknown }): boolean =>
  typeof json["type"] === "string" && bareItems.has(json["type"]) && !isRecord(json["message"]);

/** Null when Codex does not write such lines. */
export function partsOf(json: unknown): CodexLine | null {
  const whole = wrapped.safeParse(json);
  if (whole.success) {
    const { type, ordinal, timestamp, payload } = whole.data;
    const known = types.find((one) => one === type);
    return { type: known ?? "other", name: type, ordinal, timestamp, payload };
  }
  if (!isRecord(json)) return null;
  const bare = { ordinal: null, timestamp: json["timestamp"], payload: json };
  if (isBareHeader(json)) return { type: "session_meta", name: "header", ...bare };
  if (isBareItem(json)) return { type: "response_item", name: "item", ...bare };
  if (json["record_type"] === "state") return { type: "other", name: "state", ...bare };
  return null;
}

/** Whether only Codex writes such a line. */
export function isCodexLine(json: unknown): boolean {
  if (!isRecord(json) || "parent" in json || "sessionId" in json || "uuid" in json) return false;
  const parts = partsOf(json);
  return parts !== null && (parts.type !== "other" || parts.name === "state");
}
