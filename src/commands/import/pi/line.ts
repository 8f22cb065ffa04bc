/**
 * A line of a pi session (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`): a header, then
 * entries. Version 1 is a list; from version 2 on entries form a tree by `id` and `parentId`;
 * version 3 renamed "hookMessage" to "custom".
 */

import { z } from "zod";
import { anything, isRecord, maybe, text, count, flag } from "../json.ts";

export const lineSchema = z.object({
  type: z.string(),
  id: text,
  parentId: text,
  timestamp: anything,
  cwd: text,
  version: count,
  message: maybe(
    z.object({
      role: z.string(),
      content: anything,
      timestamp: count,
      model: text,
      stopReason: text,
      errorMessage: text,
      usage: anything,
      toolCallId: text,
      toolName: text,
      isError: flag,
      command: text,
      output: text,
      exitCode: count,
      cancelled: flag,
      excludeFromContext: flag,
      customType: text,
    }),
  ),
  modelId: text,
  summary: text,
  firstKeptEntryId: text,
  firstKeptEntryIndex: count,
  tokensBefore: count,
  customType: text,
  content: anything,
  name: text,
  targetId: text,
  replacement: anything,
});

export type PiLine = z.infer<typeof lineSchema>;
export type PiMessage = NonNullable<PiLine["message"]>;

/** The header. Our logs begin with the same type, but have `parent` and `at`. */
export const isPiHeader = (json: unknown): boolean =>
  isRecord(json) &&
  json["type"] === "session" &&
  typeof json["id"] === "string" &&
  "timestamp" in json &&
  !("parent" in json);

/** The header, or an entry when the header is lost. */
export function isPiLine(json: unknown): boolean {
  if (isPiHeader(json)) return true;
  if (!isRecord(json) || "payload" in json) return false;
  return json["type"] === "message" && isRecord(json["message"]) && "timestamp" in json;
}
