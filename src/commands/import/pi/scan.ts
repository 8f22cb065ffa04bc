import { timeOf } from "../json.ts";
import { Findings } from "../source.ts";
import type { LinePlace } from "../source-file.ts";
import { noStep, Steps } from "../steps.ts";
import type { PiLine } from "./line.ts";

/** What the first pass through the file finds. */
export class Scan extends Findings {
  /** One per line, found by id. */
  readonly steps = new Steps();
  /** Steps at which what a summary kept verbatim begins. */
  readonly kept = new Set<string | number>();
  /** Lines before the first entry: version 1 counts positions from the header. */
  headers = 0;
  #isList = false;

  take(line: PiLine, isHeader: boolean, place: LinePlace): void {
    if (isHeader) {
      if (this.steps.length === 0) this.headers++;
      // A fork may contain the header of the session it comes from.
      if (this.id !== null) return this.skipped.add("headers of other sessions");
      this.id = line.id;
      this.cwd = line.cwd;
      this.#isList = (line.version ?? 1) < 2;
      return;
    }
    if (line.type === "session_info") this.title = line.name ?? this.title;
    const isMessage = line.message?.role === "user" || line.message?.role === "assistant";
    if (isMessage) {
      this.hasConversation = true;
      this.startedMs ??= timeOf(line.message?.timestamp) ?? timeOf(line.timestamp);
    }
    if (line.type === "compaction")
      this.kept.add(line.firstKeptEntryId ?? line.firstKeptEntryIndex ?? 0);
    // If the parent is missing, the entry before it takes its place, as in a list.
    const isRoot = line.parentId === null && !this.#isList;
    const step = this.steps.begin(isRoot ? noStep : this.steps.length - 1);
    this.steps.addLine(step, place, line.id, this.#isList ? null : line.parentId);
  }

  /** The first step that a compaction kept. */
  find(name: string | number | null): number {
    return typeof name === "number" ? name - this.headers : this.steps.find(name);
  }
}
