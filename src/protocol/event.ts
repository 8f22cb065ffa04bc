/** What the agent tells, as plain data: the screen and the headless printer read the same events. */

import type { Entry } from "./entry.ts";
import type { PermissionMode } from "./permission.ts";

export type AgentEvent =
  /** A fact, already on disk. */
  | { type: "entry"; entry: Entry }
  /** A piece of an answer that is still growing; the assistant entry repeats it all. */
  | { type: "delta"; index: number; kind: "text" | "thinking" | "input"; text: string }
  /** The call began anew; deltas since the last entry are void. */
  | { type: "reset" }
  /** The newest output of a running tool; `bytes` so far. */
  | { type: "progress"; toolUse: string; tail: string; bytes: number }
  | { type: "ask"; ask: Ask }
  /** An ask was answered or became void. */
  | { type: "asked"; id: string }
  | { type: "retry"; attempt: number; of: number; waitMs: number; reason: string }
  | { type: "phase"; phase: Phase }
  /** Messages typed while the agent works, to be delivered at the next boundary. */
  | { type: "queue"; waiting: string[] }
  | { type: "mode"; mode: PermissionMode }
  | { type: "compaction"; state: CompactionState }
  | { type: "idle"; why: "done" | "stopped" | "failed"; message?: string };

export type Phase = "waiting" | "streaming" | "tools" | "compacting";

export type CompactionState =
  | { step: "started"; tier: string }
  | { step: "writing"; text: string }
  /** `confirmSummary`: the summary waits for a person's word. */
  | { step: "review"; id: string; text: string }
  | { step: "done" }
  | { step: "failed"; message: string };

/** A question to the person; the agent waits for the `answer` command with the same id. */
export type Ask = {
  id: string;
  toolUse: string;
  tool: string;
  /** One line: what would happen. */
  title: string;
  /** What would be run or written; a diff where a file would change. */
  detail: string;
  detailKind: "command" | "diff" | "text";
  /** The rule that "yes for this session" would set, in words. */
  rule: string;
};
