/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { cleanLine, isRecord, timeOf } from "../json.ts";
import { markOf } from "../blocks.ts";
import type { Skipped } from "../skipped.ts";
import { Findings, type Reader } from "../source.ts";
import { SourceFile } from "../source-file.ts";
import { folderIn, isCodexLine, lineOf, marks, type CodexLine } from "./line.ts";
import { converterTo, type Bookmark, type Converter } from "./converter.ts";
import { threadOf, titleInIndex, type Segment } from "./thread.ts";

export const codex: Reader = {
  recognizes: isCodexLine,
  read(file) {
    const scan = new Scan();
    const { segments, missing } = threadOf(file.path);
    let bytes = 0;
    // The last file is the session's own: what it says comes first.
    for (const segment of segments.toReversed())
      bytes += eachLine(file, segment, null, (line) => scan.take(line));
    const result = scan.result("Codex", file.path, bytes, (writer) => {
      writer.at(result.info.startedMs);
      if (missing !== null) {
        const thread = cleanLine(missing);
        writer.note("info", `The beginning is in thread ${thread}, whose file was not found.`);
      }
      const converter = converterTo(writer, scan.typedTurns);
      for (const segment of segments) convertSegment(file, segment, converter, scan.skipped);
      converter.end();
    });
    result.info.title ??= titleInIndex(file.path, result.info.id);
    return result;
  },
};

class Scan extends Findings {
  /** Ids of the turns that a message of the user began. */
  readonly typedTurns = new Set<string>();
  #turn = "";

  take(line: CodexLine): void {
    switch (line.type) {
      case "session_meta": {
        const { payload: meta, timestamp } = line;
        // A fork has the header of the session it comes from after its own.
        if (this.id) return;
        this.id = meta.id ?? meta.session_id;
        this.cwd = meta.cwd ?? this.cwd;
        this.isSubagent =
          meta.thread_source === "subagent" || (isRecord(meta.source) && "subagent" in meta.source);
        this.startedMs = timeOf(meta.timestamp) ?? timeOf(timestamp);
        return;
      }
      case "turn_context":
        this.cwd ??= line.payload.cwd;
        return;
      case "event_msg": {
        const { type, turn_id: turn, thread_name: name } = line.payload;
        if (type === "task_started") this.#turn = turn ?? this.#turn;
        if (type === "thread_name_updated") this.title = name ?? this.title;
        return;
      }
      case "response_item": {
        const text = textIn(line.payload.content);
        this.hasConversation = true;
        this.startedMs ??= timeOf(line.timestamp);
        this.cwd ??= folderIn(text);
        if (line.payload.role === "user" && markOf(text, marks) === null)
          this.typedTurns.add(this.#turn);
        return;
      }
      default:
        return;
    }
  }
}

/** What follows the end of the segment becomes a branch, or is left out. */
function convertSegment(
  file: SourceFile,
  segment: Segment,
  converter: Converter,
  skipped: Skipped,
): void {
  let end: Bookmark | null = null;
  let ordinal = -1;
  eachLine(file, segment, skipped, (line) => {
    ordinal = line.ordinal ?? ordinal + 1;
    if (ordinal >= segment.end) {
      end ??= converter.bookmark();
      if (!segment.hasBranch) return;
    }
    converter.take(line);
  });
  if (end !== null) converter.goTo(end);
}

/** Reads a segment, which is often the opened file itself. Returns the bytes of complete lines. */
function eachLine(
  opened: SourceFile,
  { path }: Segment,
  skipped: Skipped | null,
  take: (line: CodexLine) => void,
): number {
  using other = path === opened.path ? null : new SourceFile(path);
  return (other ?? opened).eachJson(skipped, (json) => {
    const line = lineOf(json);
    if (line) take(line);
    else skipped?.add("lines that Codex does not write");
  });
}

/** The first text of a message. */
function textIn(content: unknown): string {
  const first: unknown = Array.isArray(content) ? content[0] : null;
  return isRecord(first) && typeof first["text"] === "string" ? first["text"] : "";
}
