import { basename } from "node:path";
import { branchesOf } from "../branches.ts";
import { parseJson, timeOf } from "../json.ts";
import { eachJson } from "../json-lines.ts";
import { Skipped } from "../skipped.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { Reader, ReadResult } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { noStep, Steps, type LinePlace } from "../steps.ts";
import { isPiHeader, isPiLine, lineSchema, type PiLine } from "./line.ts";
import { convertLine, type Converted } from "./converter.ts";

export const pi: Reader = {
  agent: "pi",
  knows: isPiLine,
  read(file: SourceFile): ReadResult {
    const scan = new Scan();
    const bytes = eachJson(file, scan.leftOut, (json, place) => {
      const parsed = lineSchema.safeParse(json);
      if (parsed.success) scan.take(parsed.data, isPiHeader(json), place);
      else scan.leftOut.add("lines without a type");
    });
    scan.steps.link();
    return {
      about: {
        agent: "pi",
        id: scan.id ?? basename(file.path),
        cwd: scan.cwd,
        title: scan.title,
        startedMs: scan.startedMs,
        isSubagent: false,
        bytes,
      },
      leftOut: scan.leftOut,
      hasConversation: scan.hasConversation,
      tell: (scribe) => tell(scan, file, scribe),
    };
  },
};

/** What one look through the file finds. */
class Scan {
  readonly leftOut = new Skipped();
  /** A line each, named by its id. */
  readonly steps = new Steps();
  /** Steps from which on a summary left all beside it. */
  readonly kept = new Set<string | number>();
  id: string | null = null;
  cwd: string | null = null;
  title: string | null = null;
  startedMs: number | null = null;
  hasConversation = false;
  /** Lines before the first entry: version 1 names entries by their position, the header's is 0. */
  headers = 0;
  #isList = false;

  take(line: PiLine, isHeader: boolean, place: LinePlace): void {
    if (isHeader) {
      if (this.steps.length === 0) this.headers++;
      // A forked session may carry the header of the one that it comes from.
      if (this.id !== null) return this.leftOut.add("headers of other sessions");
      this.id = line.id;
      this.cwd = line.cwd;
      this.#isList = (line.version ?? 1) < 2;
      return;
    }
    if (line.type === "session_info") this.title = line.name ?? this.title;
    const speaks = line.message?.role === "user" || line.message?.role === "assistant";
    if (speaks) {
      this.hasConversation = true;
      this.startedMs ??= timeOf(line.message?.timestamp) ?? timeOf(line.timestamp);
    }
    if (line.type === "compaction")
      this.kept.add(line.firstKeptEntryId ?? line.firstKeptEntryIndex ?? 0);
    // A parent that is not there stood before it, as every entry of a list does.
    const isRoot = line.parentId === null && !this.#isList;
    const step = this.steps.begin(isRoot ? noStep : this.steps.length - 1);
    this.steps.addLine(step, place, line.id, this.#isList ? null : line.parentId);
  }

  /** The step that a compaction calls the first that it kept. */
  find(name: string | number | null): number {
    return typeof name === "number" ? name - this.headers : this.steps.find(name);
  }
}

function tell(scan: Scan, file: SourceFile, scribe: EntryWriter): void {
  const { steps, leftOut } = scan;
  const root = scribe.place;
  const branches = branchesOf(steps.length, steps.parentOf, steps.length - 1);
  const forks = new Set(branches.map(({ fork }) => fork));
  const kept = new Set([...scan.kept].map((name) => scan.find(name)));
  /** Where the log stood before a step that was kept, and behind one where branches part. */
  const before = new Map<number, EntryOrigin>();
  const behind = new Map<number, EntryOrigin>();
  const read = (step: number): PiLine | null => {
    const [place] = steps.lines(step);
    const parsed = lineSchema.safeParse(place ? parseJson(file.lineAt(place)) : null);
    return parsed.success ? parsed.data : null;
  };
  const told: Converted = {
    placeBefore: (name) => before.get(scan.find(name)) ?? null,
    callOf: (name) => read(steps.find(name))?.message?.toolCallId ?? null,
  };
  for (const { fork, nodes } of branches) {
    scribe.goTo(behind.get(fork) ?? root);
    for (const step of nodes) {
      if (kept.has(step)) before.set(step, scribe.place);
      const line = read(step);
      if (line) convertLine(line, scribe, leftOut, told);
      else leftOut.add("lines that changed while they were read");
      if (forks.has(step)) behind.set(step, scribe.place);
    }
  }
}
