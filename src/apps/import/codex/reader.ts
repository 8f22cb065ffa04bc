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
    let hasConversation = false;
    info.bytes = eachPart(file, null, (line) => {
      readInfo(info, line);
      hasConversation ||= line.type === "response_item";
    });
    info.id ||= basename(file.path);
    return {
      info,
      skipped,
      hasConversation,
      convert(writer) {
        const converter = new Converter(writer, skipped);
        eachPart(file, skipped, (line) => converter.line(line));
        converter.end();
      },
    };
  },
};

/** Returns the bytes of complete lines. */
const eachPart = (
  file: SourceFile,
  skipped: Skipped | null,
  take: (line: CodexLine) => void,
): number =>
  eachJson(file, skipped, (json) => {
    const parts = partsOf(json);
    if (parts) take(parts);
    else skipped?.add("lines that Codex does not write");
  });

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
