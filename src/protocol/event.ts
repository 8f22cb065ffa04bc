/** The agent's reports, as plain data: screen and headless printer read the same events. */

import type { BudgetState } from "./budget.ts";
import type { ToolInput } from "./block.ts";
import type { Entry } from "./entry.ts";
import type { Delta, ModelRules } from "./model.ts";
import type { PermissionMode } from "./permission.ts";

export type AgentEvent =
  /** A fact, already on disk. */
  | { type: "entry"; entry: Entry }
  /** A piece of an answer in progress; the assistant entry repeats it all. */
  | Delta
  /** The call starts over: discard the deltas since the last entry. */
  | { type: "reset" }
  /** The newest output of a running tool; `bytes` so far. */
  | { type: "progress"; toolUse: string; tail: string; bytes: number }
  | { type: "ask"; ask: Ask }
  /** An ask was answered or withdrawn. */
  | { type: "asked"; id: string }
  /** A call will not run: the user, a rule or the mode denied it. */
  | { type: "denied"; toolUse: string }
  | { type: "retry"; attempt: number; of: number; waitMs: number; reason: string }
  | { type: "phase"; phase: Phase }
  /** Messages typed while the agent works, sent after the current step. */
  | { type: "queue"; waiting: string[] }
  /** Messages that the user stopped before they were sent. */
  | { type: "unsent"; messages: string[] }
  | { type: "mode"; mode: PermissionMode }
  /** Another model answers next, with another window and other prices. */
  | { type: "rules"; rules: ModelRules }
  /** The spending caps and the amount spent under each. */
  | { type: "budget"; budget: BudgetState[] }
  | { type: "compaction"; state: CompactionState }
  | ({ type: "idle" } & TurnEnd);

/** The events of a part of the agent while it works, and its result. */
export type Events<R = void> = AsyncGenerator<AgentEvent, R>;

/** How a turn, or a command, ended. */
export type TurnEnd = {
  why: "done" | "stopped" | "failed";
  message?: string;
  /** The limit of the run that was reached. */
  limit?: "turns" | "budget" | "structured";
  /** A call of the model failed; `status`: of HTTP, null without one. */
  apiError?: { status: number | null };
};

/** "starting": hooks run and facts are gathered before the first call. */
export type Phase = "starting" | "waiting" | "tools" | "compacting";

export type CompactionState =
  | { step: "started"; tier: string }
  | { step: "writing"; text: string }
  | { step: "done" }
  /** A background summary for the next cut: started, ready or failed. */
  | { step: "preparing" }
  | { step: "prepared" }
  | { step: "failed"; message: string };

/** A question to the user; the agent waits for the `answer` command with the same id. */
export type Ask = {
  id: string;
  toolUse: string;
  tool: string;
  /** The session of the subagent that asks. */
  subagent?: string;
  /** The subagent runs in the background, so no turn waits for the answer. */
  inBackground?: true;
  /** Input of the call in question, which a hook may have changed. Absent: there is no call. */
  input?: ToolInput;
  /** One line: what would happen. */
  title: string;
  /** The command or text in question; a diff where a file would change. */
  detail: string;
  detailKind: "command" | "diff" | "text";
  /** A sentence about what may go wrong. */
  warning?: string | undefined;
  /** A sentence about what a command is given beyond the sandbox. */
  access?: string | undefined;
  /** The model's own words about it: never to be trusted. */
  description?: string | undefined;
  /** The rule that "yes for this session" would add, in words; null: it is asked every time. */
  rule: string | null;
  /** The user picks an answer or writes one: it is `answer` in the input of the answer. */
  poll?: Poll;
  /** The first question about a command that mode auto would run. */
  offersAuto?: true;
  /** The rule that "always" would add, and the settings file that it would be added to. */
  always?: { rule: string; file: string } | undefined;
};

export type Poll = {
  options: readonly { label: string; description?: string }[];
  /** Several options together are an answer: their labels, with commas. */
  takesSeveral: boolean;
  /** A text that the user may change before they answer; it is then `text` in the input. */
  editable?: string;
  /** One of several questions. `goTo` in the input of the answer switches to another one. */
  among?: {
    readonly at: number;
    readonly headers: readonly string[];
    /** The answers so far; null: none yet. */
    readonly answers: readonly (string | null)[];
  };
};
