/** Commands of the user to the agent, through the screen or the command line. */

import type { BudgetScope } from "./budget.ts";
import type { ToolInput, UserBlock } from "./block.ts";
import type { Change, EntryId, SubagentRun } from "./entry.ts";
import type { Effort } from "./model.ts";
import type { PermissionMode } from "./permission.ts";

export type AgentCommand =
  /** `uuid`: a client's name for the message. */
  | { type: "prompt"; content: UserBlock[]; typed?: string; uuid?: string }
  /** An event outside of the turn, such as a report of a subagent in the background. */
  | { type: "news"; title: string; text: string; subagent?: SubagentRun }
  /** Run a shell command for the user and show it to the model (`!ls`). */
  | { type: "shell"; command: string }
  | { type: "answer"; id: string; answer: Answer }
  | { type: "stop" }
  /** Discard the queued messages. */
  | { type: "unqueue" }
  | {
      type: "compact";
      how: "clear" | "summarize";
      trigger: "key" | "command";
      focus?: string;
    }
  /** A cut made by hand in the inspector. */
  | { type: "cut"; changes: Change[]; reason: string }
  /** Summarize up to, or from, an entry. */
  | { type: "summarize"; from?: EntryId; to?: EntryId; focus?: string }
  /** `redo`: reverses an undo. */
  | { type: "restore"; cut: EntryId; entry?: EntryId | undefined; redo?: boolean | undefined }
  | { type: "pin"; entry: EntryId; on: boolean }
  /** Repeat an old item at the end of the conversation, where it invalidates no cache. */
  | { type: "recall"; entry: EntryId }
  | { type: "model"; model: string }
  /** Null: the model's own default. */
  | { type: "effort"; effort: Effort | null }
  /** Adds a rule of the session, or says that one no longer applies. */
  | { type: "rule"; text: string; is: "added" | "removed" | "done" }
  /** A cap for this run; null: none. */
  | { type: "budget"; scope: BudgetScope; usd: number | null }
  | { type: "mode"; mode: PermissionMode }
  /** Append a note to the memory of this folder (`# note`). */
  | { type: "remember"; note: string }
  | { type: "rename"; title: string }
  /** Continue from an earlier entry; what came after it stays in the log as a branch. */
  | {
      type: "rewind";
      to: EntryId | null;
      files: boolean;
      conversation: boolean;
      /** Also rewinds files that other writers may have changed. */
      unsure?: true;
    }
  /** Let the agent continue while this command keeps running. */
  | { type: "background"; toolUse: string };

export type Answer =
  /**
   * "always": the rule that the question offered is added to the user's settings. `input` replaces the
   * model's.
   */
  | { allow: true; scope: "once" | "session" | "always"; input?: ToolInput }
  /** `reason` goes to the model; `isResult`: word for word. */
  | { allow: false; reason?: string; isResult?: true };
