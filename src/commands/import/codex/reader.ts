/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { markOf } from "../blocks.ts";
import { cleanLine, isRecord, timeOf } from "../json.ts";
import { ForeignSession, SourceFile, type Reader } from "../source.ts";
import { convertTo, type Bookmark, type Converter } from "./converter.ts";
import { findFolder, isCodexLine, marks, parseLine, type CodexLine } from "./line.ts";
import { findThread, titleInIndex } from "./thread.ts";

/** A file's lines, and where the next file continues. */
type Part = { lines: CodexLine[]; end: number; hasBranch: boolean };

export const codex: Reader = {
  recognizes: isCodexLine,
  read(file) {
    const session = new ForeignSession("Codex", file);
    const { skipped } = session;
    const { segments, missing } = findThread(file.path);
    session.bytes = 0;
    const parts = segments.map(({ path, end, hasBranch }): Part => {
      const source = path === file.path ? file : new SourceFile(path);
      session.bytes += source.bytes;
      return { lines: [...source.lines(skipped)].flatMap((json) => take(json)), end, hasBranch };
    });
    // The last file is the session's own: what it says comes first.
    const typedTurns = describe(session, parts.toReversed());
    session.title ??= titleInIndex(file.path, session.id);
    return {
      session,
      convert(writer) {
        writer.at(session.startedMs);
        if (missing !== null) {
          const thread = cleanLine(missing);
          writer.note("info", `The beginning is in thread ${thread}, whose file was not found.`);
        }
        const converter = convertTo(writer, typedTurns);
        for (const part of parts) convertPart(part, converter);
        converter.finish();
      },
    };

    function take(json: unknown): CodexLine[] {
      const line = parseLine(json);
      if (!line) skipped.add("lines that Codex does not write");
      return line ? [line] : [];
    }
  },
};

/** Collects the session's facts. Returns the ids of the turns that a message of the user began. */
function describe(session: ForeignSession, parts: readonly Part[]): Set<string> {
  const typedTurns = new Set<string>();
  let hasHeader = false;
  let turn = "";
  let title: string | null = null;
  for (const line of parts.flatMap(({ lines }) => lines)) {
    switch (line.type) {
      case "session_meta": {
        // A fork has the header of the session it comes from after its own.
        if (hasHeader) break;
        const { payload: meta, timestamp } = line;
        session.id = meta.id || meta.session_id || session.id;
        hasHeader = Boolean(meta.id || meta.session_id);
        session.cwd = meta.cwd ?? session.cwd;
        session.isSubagent =
          meta.thread_source === "subagent" || (isRecord(meta.source) && "subagent" in meta.source);
        session.startedMs = timeOf(meta.timestamp) ?? timeOf(timestamp);
        break;
      }
      case "turn_context":
        session.cwd ??= line.payload.cwd;
        break;
      case "event_msg": {
        const { type, turn_id: id, thread_name: name } = line.payload;
        if (type === "task_started") turn = id ?? turn;
        if (type === "thread_name_updated") title = name ?? title;
        break;
      }
      case "response_item": {
        const text = firstText(line.payload.content);
        session.hasConversation = true;
        session.startedMs ??= timeOf(line.timestamp);
        session.cwd ??= findFolder(text);
        if (line.payload.role === "user" && markOf(text, marks) === null) typedTurns.add(turn);
      }
    }
  }
  session.title = title;
  return typedTurns;
}

/** Lines beyond the end of a part become a branch, or are left out. */
function convertPart({ lines, end, hasBranch }: Part, converter: Converter): void {
  let mark: Bookmark | null = null;
  let ordinal = -1;
  for (const line of lines) {
    ordinal = line.ordinal ?? ordinal + 1;
    if (ordinal >= end) mark ??= converter.bookmark();
    if (mark === null || hasBranch) converter.take(line);
  }
  if (mark !== null) converter.goTo(mark);
}

function firstText(content: unknown): string {
  const first: unknown = Array.isArray(content) ? content[0] : null;
  return isRecord(first) && typeof first["text"] === "string" ? first["text"] : "";
}
