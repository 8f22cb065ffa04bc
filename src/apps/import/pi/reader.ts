/** Reads a session of pi: the first pass finds how its lines are linked, the second converts them. */

import { Branches } from "../branches.ts";
import { parseJson, timeOf } from "../json.ts";
import { eachJson } from "../json-lines.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { Findings, type Reader } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { noStep, Steps, type LinePlace } from "../steps.ts";
import { isPiHeader, isPiLine, lineSchema, type PiLine } from "./line.ts";
import { convertLine, type Lookup } from "./converter.ts";

export const pi: Reader = {
  recognizes: isPiLine,
  read(file) {
    const scan = new Scan();
    const bytes = eachJson(file, scan.skipped, (json, place) => {
      const parsed = lineSchema.safeParse(json);
      if (parsed.success) scan.take(parsed.data, isPiHeader(json), place);
      else scan.skipped.add("lines without a type");
    });
    scan.steps.link();
    return scan.result("pi", file.path, bytes, (writer) => convert(scan, file, writer));
  },
};

/** What the first pass through the file finds. */
class Scan extends Findings {
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

function convert(scan: Scan, file: SourceFile, writer: EntryWriter): void {
  const { steps, skipped } = scan;
  const root = writer.place;
  const branches = new Branches(steps.length, steps.parentOf, steps.length - 1);
  const kept = new Set([...scan.kept].map((name) => scan.find(name)));
  /** The log position before a kept step, and after a step where branches part. */
  const before = new Map<number, EntryOrigin>();
  const after = new Map<number, EntryOrigin>();
  const read = (step: number): PiLine | null => {
    const [place] = steps.lines(step);
    const parsed = lineSchema.safeParse(place ? parseJson(file.lineAt(place)) : null);
    return parsed.success ? parsed.data : null;
  };
  const lookup: Lookup = {
    originBefore: (name) => before.get(scan.find(name)) ?? null,
    callOf: (name) => read(steps.find(name))?.message?.toolCallId ?? null,
  };
  for (const { fork, nodes } of branches) {
    writer.goTo(after.get(fork) ?? root);
    if (!branches.isFork(fork)) after.delete(fork);
    for (const step of nodes) {
      if (kept.has(step)) before.set(step, writer.place);
      const line = read(step);
      if (line) convertLine(line, writer, lookup);
      else skipped.add("lines that changed while they were read");
      if (branches.isFork(step)) after.set(step, writer.place);
    }
  }
}
