import { basename } from "node:path";
import { branchesOf } from "../branches.ts";
import { parseJson, timeOf } from "../json.ts";
import { LeftOut } from "../left-out.ts";
import type { Place, Scribe } from "../scribe.ts";
import type { Reader, Reading } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { noStep, Steps } from "../steps.ts";
import { isPiHeader, isPiLine, lineSchema, type PiLine } from "./line.ts";
import { tellLine, type Told } from "./tell.ts";

export const pi: Reader = {
  agent: "pi",
  knows: isPiLine,
  read(file: SourceFile): Reading {
    const scan = new Scan();
    const take = (text: string, offset: number, bytes: number): boolean => {
      if (text.trim() === "") return true;
      const json = parseJson(text);
      if (json === undefined) return false;
      const parsed = lineSchema.safeParse(json);
      if (parsed.success) scan.take(parsed.data, isPiHeader(json), offset, bytes);
      else scan.leftOut.add("lines without a type");
      return true;
    };
    const end = file.eachLine({
      line: ({ text, offset, bytes }) => {
        if (!take(text, offset, bytes)) scan.leftOut.add("lines that are no JSON");
      },
      tooLong: () => scan.leftOut.add("lines of more than 64 MB"),
    });
    let { bytes } = end;
    if (end.rest !== null && end.rest.text.trim() !== "") {
      if (take(end.rest.text, end.rest.offset, end.rest.bytes)) bytes += end.rest.bytes;
      else scan.leftOut.add("half a line at the end");
    }
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
  readonly leftOut = new LeftOut();
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

  take(line: PiLine, isHeader: boolean, offset: number, bytes: number): void {
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
    this.steps.addLine(step, { offset, bytes }, line.id, this.#isList ? null : line.parentId);
  }

  /** The step that a compaction calls the first that it kept. */
  find(name: string | number | null): number {
    return typeof name === "number" ? name - this.headers : this.steps.find(name);
  }
}

function tell(scan: Scan, file: SourceFile, scribe: Scribe): void {
  const { steps, leftOut } = scan;
  const root = scribe.place;
  const branches = branchesOf(steps.length, steps.parentOf, steps.length - 1);
  const forks = new Set(branches.map(({ fork }) => fork));
  const kept = new Set([...scan.kept].map((name) => scan.find(name)));
  /** Where the log stood before a step that was kept, and behind one where branches part. */
  const before = new Map<number, Place>();
  const behind = new Map<number, Place>();
  const read = (step: number): PiLine | null => {
    const [place] = steps.lines(step);
    const parsed = lineSchema.safeParse(place ? parseJson(file.lineAt(place)) : null);
    return parsed.success ? parsed.data : null;
  };
  const told: Told = {
    placeBefore: (name) => before.get(scan.find(name)) ?? null,
    callOf: (name) => read(steps.find(name))?.message?.toolCallId ?? null,
  };
  for (const { fork, nodes } of branches) {
    scribe.goTo(behind.get(fork) ?? root);
    for (const step of nodes) {
      if (kept.has(step)) before.set(step, scribe.place);
      const line = read(step);
      if (line) tellLine(line, scribe, leftOut, told);
      else leftOut.add("lines that changed while they were read");
      if (forks.has(step)) behind.set(step, scribe.place);
    }
  }
}
