/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { basename } from "node:path";
import { cleanLine, isRecord, timeOf } from "../json.ts";
import { eachJson } from "../json-lines.ts";
import { Skipped } from "../skipped.ts";
import type { SourceInfo, Reader, ReadResult } from "../source.ts";
import { SourceFile } from "../source-file.ts";
import {
  contextSchema,
  eventSchema,
  isCodexLine,
  metaSchema,
  partsOf,
  type CodexLine,
} from "./line.ts";
import { Converter, type Bookmark } from "./converter.ts";
import { threadOf, titleInIndex, type Segment } from "./thread.ts";
import { folderIn, markOf } from "./words.ts";

export const codex: Reader = {
  agent: "Codex",
  recognizes: isCodexLine,
  read(file: SourceFile): ReadResult {
    const skipped = new Skipped();
    const info: SourceInfo = {
      agent: "Codex",
      id: "",
      cwd: null,
      title: null,
      startedMs: null,
      isSubagent: false,
      bytes: 0,
    };
    const { segments, missing } = threadOf(file.path);
    const typedTurns = new Set<string>();
    let hasConversation = false;
    let turn = "";
    // The last file is the session's own: what it says comes first.
    for (const segment of segments.toReversed()) {
      info.bytes += eachPart(file, segment, null, (line) => {
        readInfo(info, line);
        hasConversation ||= line.type === "response_item";
        turn = turnIn(line) ?? turn;
        if (isTyped(line)) typedTurns.add(turn);
      });
    }
    info.id ||= basename(file.path);
    info.title ??= titleInIndex(file.path, info.id);
    return {
      info,
      skipped,
      hasConversation,
      convert(writer) {
        if (missing !== null)
          writer.note(
            "info",
            `The beginning is in thread ${cleanLine(missing)}, whose file was not found.`,
            info.startedMs,
          );
        const converter = new Converter(writer, skipped, typedTurns);
        for (const segment of segments) convertSegment(file, segment, converter, skipped);
        converter.end();
      },
    };
  },
};

/** What follows the end of the segment becomes a branch, or is left out. */
function convertSegment(
  file: SourceFile,
  segment: Segment,
  converter: Converter,
  skipped: Skipped,
): void {
  let end: Bookmark | null = null;
  let ordinal = -1;
  eachPart(file, segment, skipped, (line) => {
    ordinal = line.ordinal ?? ordinal + 1;
    if (ordinal >= segment.end) {
      end ??= converter.bookmark();
      if (!segment.hasBranch) return;
    }
    converter.line(line);
  });
  if (end !== null) converter.goTo(end);
}

/** Reads a segment, which is often the opened file itself. Returns the bytes of complete lines. */
function eachPart(
  opened: SourceFile,
  { path }: Segment,
  skipped: Skipped | null,
  take: (line: CodexLine) => void,
): number {
  const file = path === opened.path ? opened : new SourceFile(path);
  try {
    return eachJson(file, skipped, (json) => {
      const parts = partsOf(json);
      if (parts) take(parts);
      else skipped?.add("lines that Codex does not write");
    });
  } finally {
    if (file !== opened) file.close();
  }
}

function turnIn({ type, payload }: CodexLine): string | null {
  if (type !== "event_msg") return null;
  const event = eventSchema.safeParse(payload);
  return event.success && event.data.type === "task_started" ? event.data.turn_id : null;
}

const isTyped = ({ type, payload }: CodexLine): boolean =>
  type === "response_item" &&
  isRecord(payload) &&
  payload["role"] === "user" &&
  markOf(textIn(payload["content"])) === null;

function readInfo(info: SourceInfo, { type, timestamp, payload }: CodexLine): void {
  switch (type) {
    case "session_meta": {
      const meta = metaSchema.safeParse(payload);
      // A fork has the header of the session it comes from after its own.
      if (!meta.success || info.id !== "") return;
      info.id = meta.data.id ?? meta.data.session_id ?? "";
      info.cwd = meta.data.cwd ?? info.cwd;
      info.isSubagent =
        meta.data.thread_source === "subagent" ||
        (isRecord(meta.data.source) && "subagent" in meta.data.source);
      info.startedMs = timeOf(meta.data.timestamp) ?? timeOf(timestamp);
      return;
    }
    case "turn_context": {
      const context = contextSchema.safeParse(payload);
      if (context.success) info.cwd ??= context.data.cwd;
      return;
    }
    case "event_msg": {
      const event = eventSchema.safeParse(payload);
      if (event.success && event.data.type === "thread_name_updated")
        info.title = event.data.thread_name ?? info.title;
      return;
    }
    case "response_item":
      info.startedMs ??= timeOf(timestamp);
      info.cwd ??= isRecord(payload) ? folderIn(textIn(payload["content"])) : null;
      return;
    default:
      return;
  }
}

/** The first text of a message. */
function textIn(content: unknown): string {
  const first: unknown = Array.isArray(content) ? content[0] : null;
  return isRecord(first) && typeof first["text"] === "string" ? first["text"] : "";
}
