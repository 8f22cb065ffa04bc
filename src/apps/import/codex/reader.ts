import { basename } from "node:path";
import { isRecord, timeOf } from "../json.ts";
import { eachJson } from "../json-lines.ts";
import { Skipped } from "../skipped.ts";
import type { SourceInfo, Reader, ReadResult } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import {
  contextSchema,
  eventSchema,
  isCodexLine,
  metaSchema,
  partsOf,
  type CodexLine,
} from "./line.ts";
import { Converter } from "./converter.ts";
import { folderIn } from "./words.ts";

export const codex: Reader = {
  agent: "Codex",
  knows: isCodexLine,
  read(file: SourceFile): ReadResult {
    const leftOut = new Skipped();
    const about: SourceInfo = {
      agent: "Codex",
      id: "",
      cwd: null,
      title: null,
      startedMs: null,
      isSubagent: false,
      bytes: 0,
    };
    let hasConversation = false;
    about.bytes = eachPart(file, null, (line) => {
      learn(about, line);
      hasConversation ||= line.type === "response_item";
    });
    about.id ||= basename(file.path);
    return {
      about,
      leftOut,
      hasConversation,
      tell(scribe) {
        const teller = new Converter(scribe, leftOut);
        eachPart(file, leftOut, (line) => teller.line(line));
        teller.end();
      },
    };
  },
};

/** Gives the bytes of whole lines. */
const eachPart = (
  file: SourceFile,
  leftOut: Skipped | null,
  take: (line: CodexLine) => void,
): number =>
  eachJson(file, leftOut, (json) => {
    const parts = partsOf(json);
    if (parts) take(parts);
    else leftOut?.add("lines that are none of Codex");
  });

function learn(about: SourceInfo, { type, timestamp, payload }: CodexLine): void {
  switch (type) {
    case "session_meta": {
      const meta = metaSchema.safeParse(payload);
      // A fork carries the header of the session that it comes from behind its own.
      if (!meta.success || about.id !== "") return;
      about.id = meta.data.id ?? meta.data.session_id ?? "";
      about.cwd = meta.data.cwd ?? about.cwd;
      about.isSubagent =
        meta.data.thread_source === "subagent" ||
        (isRecord(meta.data.source) && "subagent" in meta.data.source);
      about.startedMs = timeOf(meta.data.timestamp) ?? timeOf(timestamp);
      return;
    }
    case "turn_context": {
      const context = contextSchema.safeParse(payload);
      if (context.success) about.cwd ??= context.data.cwd;
      return;
    }
    case "event_msg": {
      const event = eventSchema.safeParse(payload);
      if (event.success && event.data.type === "thread_name_updated")
        about.title = event.data.thread_name ?? about.title;
      return;
    }
    case "response_item":
      about.startedMs ??= timeOf(timestamp);
      about.cwd ??= isRecord(payload) ? folderIn(textIn(payload["content"])) : null;
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
