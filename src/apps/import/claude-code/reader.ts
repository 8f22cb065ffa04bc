import { basename } from "node:path";
import { branchesOf } from "../branches.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { SourceInfo, Reader, ReadResult } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { isClaudeLine, type ClaudeLine } from "./line.ts";
import { scan, type Scan } from "./scan.ts";
import { Converter } from "./converter.ts";

export const claudeCode: Reader = {
  agent: "Claude Code",
  knows: isClaudeLine,
  read(file: SourceFile): ReadResult {
    const found = scan(file);
    return {
      about: aboutOf(found, file),
      leftOut: found.leftOut,
      hasConversation: found.hasConversation,
      tell: (scribe) => tell(found, file, scribe),
    };
  },
};

function aboutOf(found: Scan, file: SourceFile): SourceInfo {
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

function tell(found: Scan, file: SourceFile, scribe: EntryWriter): void {
  const { steps, speaks, leftOut, kept } = found;
  const root = scribe.place;
  const branches = branchesOf(steps.length, steps.parentOf, found.latest);
  const forks = new Set(branches.map(({ fork }) => fork));
  /** Where the log stood before a step that was kept, and behind one where branches part. */
  const before = new Map<number, EntryOrigin>();
  const behind = new Map<number, EntryOrigin>();
  /** Boundaries that wait for their summary there: a hook's line may stand between. */
  const waiting = new Map<number, ClaudeLine>();
  const teller = new Converter(
    file,
    scribe,
    leftOut,
    (uuid) => before.get(steps.find(uuid)) ?? null,
  );
  for (const { fork, nodes } of branches) {
    // Noise beside the conversation, such as a hook's report, is no branch of it.
    const isTold = nodes.some((step) => speaks.at(step) === 1);
    scribe.goTo(behind.get(fork) ?? root);
    teller.boundary = waiting.get(fork) ?? null;
    for (const step of nodes) {
      if (kept.has(step)) before.set(step, scribe.place);
      if (isTold) teller.step(steps.lines(step));
      else leftOut.add("lines beside the conversation", steps.lines(step).length);
      if (!forks.has(step)) continue;
      behind.set(step, scribe.place);
      if (teller.boundary) waiting.set(step, teller.boundary);
    }
  }
  teller.end();
}
