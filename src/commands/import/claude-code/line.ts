/**
 * A line of a Claude Code session (`~/.claude/projects/<folder>/<session>.jsonl`). The format is not
 * published; this module's README names the sources.
 */

import { z } from "zod";
import type { Marks } from "../blocks.ts";
import { anything, isRecord, maybe, text, flag, count } from "../json.ts";

export const lineSchema = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  parentUuid: text,
  logicalParentUuid: text,
  sessionId: text,
  agentId: text,
  timestamp: text,
  cwd: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  content: anything,
  message: maybe(
    z.object({ id: text, model: text, content: anything, stop_reason: text, usage: anything }),
  ),
  summary: text,
  leafUuid: text,
  customTitle: text,
  aiTitle: text,
  compactMetadata: maybe(
    z.object({
      trigger: text,
      preTokens: count,
      postTokens: count,
      preservedSegment: maybe(z.object({ headUuid: text, anchorUuid: text, tailUuid: text })),
    }),
  ),
  microcompactMetadata: maybe(
    z.object({
      preTokens: count,
      tokensSaved: count,
      compactedToolIds: maybe(z.array(z.string())),
    }),
  ),
  attachment: maybe(z.object({ type: text, prompt: anything, filename: text, content: anything })),
});

export type ClaudeLine = z.infer<typeof lineSchema>;

/** Whether only Claude Code writes such a line. */
export function isClaudeLine(json: unknown): boolean {
  if (!isRecord(json) || typeof json["type"] !== "string") return false;
  if (typeof json["sessionId"] === "string" || typeof json["leafUuid"] === "string") return true;
  if (json["type"] === "file-history-snapshot" && isRecord(json["snapshot"])) return true;
  return typeof json["uuid"] === "string" && "parentUuid" in json;
}

/** Whether the line is part of the conversation's tree. */
export const isInTree = ({ type, uuid }: ClaudeLine): boolean =>
  uuid !== null || type === "user" || type === "assistant";

/** The content blocks of a message that are objects. */
export const rawBlocks = ({ message }: ClaudeLine): { [key: string]: unknown }[] =>
  Array.isArray(message?.content) ? message.content.filter(isRecord) : [];

/** The ids in blocks of one type: `id` of calls, `tool_use_id` of results. */
export const idsIn = (line: ClaudeLine, type: string, key: string): string[] =>
  rawBlocks(line).flatMap((block) =>
    block["type"] === type && typeof block[key] === "string" ? [block[key]] : [],
  );

const interruption = /^\[Request interrupted by user/;

/** Whether the message says that the user interrupted what it follows. */
export const isInterruption = (line: ClaudeLine): boolean =>
  [line.message?.content, ...rawBlocks(line).map(({ text }) => text)].some(
    (text) => typeof text === "string" && interruption.test(text),
  );

export const marks: Marks = [
  [/^<bash-(input|stdout|stderr)>/, "shell", "shell"],
  [/^<local-command-(stdout|stderr|caveat)>/, "reminder", "command"],
  [/^<command-(name|message|args|contents)>/, "reminder", "command"],
  [/^<(system-reminder|task-notification|user-memory-input)>/, "reminder", "reminder"],
  [/^Caveat: The messages below were generated/, "reminder", "command"],
  [interruption, "reminder", "interrupted"],
];
