import { basename } from "node:path";
import { branchesOf } from "../branches.ts";
import type { Place, Scribe } from "../scribe.ts";
import type { About, Reader, Reading } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { isClaudeLine, type ClaudeLine } from "./line.ts";
import { scan, type Scan } from "./scan.ts";
import { Teller } from "./tell.ts";

export const claudeCode: Reader = {
  agent: "Claude Code",
  knows: isClaudeLine,
  read(file: SourceFile): Reading {
    const found = scan(file);
    return {
      about: aboutOf(found, file),
      leftOut: found.leftOut,
      hasConversation: found.hasConversation,
      tell: (scribe) => tell(found, file, scribe),
    };
  },
};

function aboutOf(found: Scan, file: SourceFile): About {
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

function tell(found: Scan, file: SourceFile, scribe: Scribe): void {
  const { steps, byUuid, leftOut } = found;
  const root = scribe.place;
  /** Where the log stood before each step, and behind it. */
  const before: Place[] = [];
  const behind: Place[] = [];
  const placeBefore = (uuid: string): Place | null => before[byUuid.get(uuid) ?? -1] ?? null;
  /** Boundaries that wait for their summary behind a step: a hook's line may stand between. */
  const waiting = new Map<number, ClaudeLine>();
  const teller = new Teller(file, scribe, leftOut, placeBefore);
  for (const { fork, nodes } of branchesOf(steps, latestOf(found))) {
    // Noise beside the conversation, such as a hook's report, is no branch of it.
    const speaks = nodes.some((index) => steps[index]?.speaks);
    scribe.goTo(behind[fork] ?? root);
    teller.boundary = waiting.get(fork) ?? null;
    for (const index of nodes) {
      const step = steps[index];
      before[index] = scribe.place;
      if (step && speaks) teller.step(step);
      else if (step) leftOut.add("lines beside the conversation", step.lines.length);
      behind[index] = scribe.place;
      if (teller.boundary) waiting.set(index, teller.boundary);
    }
  }
  teller.end();
}

/** The step that the person saw last; its branch is the one to go on with. */
function latestOf({ steps }: Scan): number {
  let latest = steps.length - 1;
  let latestMs = -Infinity;
  for (const [index, { speaks, atMs }] of steps.entries()) {
    if (!speaks || (atMs ?? -Infinity) < latestMs) continue;
    latest = index;
    latestMs = atMs ?? latestMs;
  }
  return latest;
}
