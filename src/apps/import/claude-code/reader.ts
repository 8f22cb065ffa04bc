/** Reads a session of Claude Code: `scan.ts` finds its messages, then each branch is converted. */

import { Branches } from "../branches.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { eachJson } from "../json-lines.ts";
import type { Reader } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { isClaudeLine, type ClaudeLine } from "./line.ts";
import { Scan } from "./scan.ts";
import { Converter } from "./converter.ts";

export const claudeCode: Reader = {
  recognizes: isClaudeLine,
  read(file) {
    const scan = new Scan();
    const bytes = eachJson(file, scan.skipped, (json, place) => scan.take(json, place));
    scan.link(file);
    return scan.result("Claude Code", file.path, bytes, (writer) => convert(scan, file, writer));
  },
};

function convert(scan: Scan, file: SourceFile, writer: EntryWriter): void {
  const { steps, skipped, kept, interrupted } = scan;
  const root = writer.place;
  const branches = new Branches(steps.length, steps.parentOf, scan.latest);
  /** The log position before a kept step, and after a step where branches part. */
  const before = new Map<number, EntryOrigin>();
  const after = new Map<number, EntryOrigin>();
  /** Boundaries still without their summary: a hook's line may come between. */
  const waiting = new Map<number, ClaudeLine>();
  const converter = new Converter(file, writer, (uuid) => before.get(steps.find(uuid)) ?? null);
  for (const { fork, nodes } of branches) {
    // Lines outside the conversation, such as a hook's report, do not make a branch.
    const isBranch = nodes.some(scan.isMessage);
    writer.goTo(after.get(fork) ?? root);
    if (!branches.isFork(fork)) after.delete(fork);
    converter.boundary = waiting.get(fork) ?? null;
    for (const step of nodes) {
      if (kept.has(step)) before.set(step, writer.place);
      if (isBranch) converter.step(steps.lines(step), interrupted.has(step));
      else skipped.add("lines outside the conversation", steps.lines(step).length);
      if (!branches.isFork(step)) continue;
      after.set(step, writer.place);
      if (converter.boundary) waiting.set(step, converter.boundary);
    }
  }
  converter.end();
}
