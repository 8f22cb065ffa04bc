/**
 * A line of a Codex rollout (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`): a time, a type
 * and a payload. Until summer 2025 a line was the bare payload, after a header without a type.
 */

import { z } from "zod";
import type { Marks } from "../marks.ts";
import { anything, isRecord, maybe, text } from "../json.ts";

const wrapped = z.object({
  timestamp: anything,
  ordinal: maybe(z.number()),
  type: z.string(),
  payload: z.looseObject({}),
});

const itemSchema = z.object({
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

const metaSchema = z.object({
  id: text,
  session_id: text,
  cwd: text,
  timestamp: anything,
  source: anything,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: maybe(z.number()) })),
});

const eventSchema = z.object({
  type: z.string(),
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  num_turns: maybe(z.number()),
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

const contextSchema = z.object({ cwd: text, model: text });

/** A line, read by its type. */
export type CodexLine = {
  /** Counts the lines of a thread, over all its files; null in old files. */
  ordinal: number | null;
  timestamp?: unknown;
} & (
  | { type: "session_meta"; meta: z.infer<typeof metaSchema> }
  | { type: "turn_context"; context: z.infer<typeof contextSchema> }
  | { type: "response_item"; item: Item }
  | { type: "event_msg"; event: Event }
  | { type: "compacted"; compacted: Compacted }
  /** Under this name it is counted when it is skipped. */
  | { type: "other"; name: string }
);

const types = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"];

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

const isState = (json: { [key: string]: unknown }): boolean => json["record_type"] === "state";

/** Null when Codex does not write such lines. */
export function lineOf(json: unknown): CodexLine | null {
  const whole = wrapped.safeParse(json);
  if (whole.success) {
    const { type, payload, ...place } = whole.data;
    return readPayload(type, payload, place);
  }
  if (!isRecord(json)) return null;
  const place = { ordinal: null, timestamp: json["timestamp"] };
  if (isBareHeader(json)) return readPayload("session_meta", json, place);
  if (isBareItem(json)) return readPayload("response_item", json, place);
  return isState(json) ? { type: "other", name: "state", ...place } : null;
}

function readPayload(
  type: string,
  payload: object,
  place: Pick<CodexLine, "ordinal" | "timestamp">,
): CodexLine {
  switch (type) {
    case "session_meta":
      return { type, meta: metaSchema.parse(payload), ...place };
    case "turn_context":
      return { type, context: contextSchema.parse(payload), ...place };
    case "compacted":
      return { type, compacted: compactedSchema.parse(payload), ...place };
    case "response_item": {
      const item = itemSchema.safeParse(payload).data;
      return item
        ? { type, item, ...place }
        : { type: "other", name: "unreadable items", ...place };
    }
    case "event_msg": {
      const event = eventSchema.safeParse(payload).data;
      return event
        ? { type, event, ...place }
        : { type: "other", name: "unreadable events", ...place };
    }
    default:
      return { type: "other", name: type, ...place };
  }
}

/** Whether only Codex writes such a line. */
export function isCodexLine(json: unknown): boolean {
  if (!isRecord(json) || "parent" in json || "sessionId" in json || "uuid" in json) return false;
  const whole = wrapped.safeParse(json);
  return whole.success
    ? types.includes(whole.data.type) || whole.data.type === "state"
    : isBareHeader(json) || isBareItem(json) || isState(json);
}

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

/** The folder, which old files mention only to the model. */
export function folderIn(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
