/** Reads a session of Claude Code: `scan.ts` finds its messages, then each branch is converted. */

import { basename } from "node:path";
import { Branches } from "../branches.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { SourceInfo, Reader, ReadResult } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { isClaudeLine, type ClaudeLine } from "./line.ts";
import { scan, type Scan } from "./scan.ts";
import { Converter } from "./converter.ts";

export const claudeCode: Reader = {
  agent: "Claude Code",
  recognizes: isClaudeLine,
  read(file: SourceFile): ReadResult {
    const found = scan(file);
    return {
      info: infoOf(found, file),
      skipped: found.skipped,
      hasConversation: found.hasConversation,
      convert: (writer) => convert(found, file, writer),
    };
  },
};

function infoOf(found: Scan, file: SourceFile): SourceInfo {
  const session = found.sessionId ?? basename(file.path);
  return {
    agent: "Claude Code",
    id: found.isSidechain ? `${session}/${found.agentId ?? basename(file.path)}` : session,
    cwd: found.cwd,
    title: found.title,
    startedMs: found.startedMs,
    isSubagent: found.isSidechain,
    bytes: found.bytes,
  };
}

function convert(found: Scan, file: SourceFile, writer: EntryWriter): void {
  const { steps, messages, skipped, kept, interrupted } = found;
  const root = writer.place;
  const branches = new Branches(steps.length, steps.parentOf, found.latest);
  /** The log position before a kept step, and after a step where branches part. */
  const before = new Map<number, EntryOrigin>();
  const after = new Map<number, EntryOrigin>();
  /** Boundaries still without their summary: a hook's line may come between. */
  const waiting = new Map<number, ClaudeLine>();
  const converter = new Converter(
    file,
    writer,
    skipped,
    (uuid) => before.get(steps.find(uuid)) ?? null,
  );
  for (const { fork, nodes } of branches) {
    // Lines outside the conversation, such as a hook's report, do not make a branch.
    const isBranch = nodes.some((step) => messages.has(step));
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
