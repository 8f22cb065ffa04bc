/** Reads a session of Claude Code: `scan.ts` finds its messages, then each branch is converted. */

import type { EntryWriter } from "../entry-writer.ts";
import type { Reader } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { convertBranches } from "../steps.ts";
import { isClaudeLine, type ClaudeLine } from "./line.ts";
import { Scan } from "./scan.ts";
import { Converter } from "./converter.ts";

export const claudeCode: Reader = {
  recognizes: isClaudeLine,
  read(file) {
    const scan = new Scan();
    const bytes = file.eachJson(scan.skipped, (json, place) => scan.take(json, place));
    scan.link(file);
    return scan.result("Claude Code", file.path, bytes, (writer) => convert(scan, file, writer));
  },
};

function convert(scan: Scan, file: SourceFile, writer: EntryWriter): void {
  const { steps, skipped, kept, interrupted } = scan;
  /** Boundaries still without their summary: a hook's line may come between. */
  const waiting = new Map<number, ClaudeLine>();
  const converter = new Converter(file, writer, (uuid) => kept.get(steps.find(uuid)) ?? null);
  convertBranches(steps, scan.latest, kept, writer, ({ fork, nodes }) => {
    // Lines outside the conversation, such as a hook's report, do not make a branch.
    const isBranch = nodes.some(scan.isMessage);
    converter.boundary = waiting.get(fork) ?? null;
    return (step) => {
      if (isBranch) converter.step(steps.lines(step), interrupted.has(step));
      else skipped.add("lines outside the conversation", steps.lines(step).length);
      if (converter.boundary) waiting.set(step, converter.boundary);
    };
  });
  converter.end();
}
