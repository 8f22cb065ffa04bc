import type { Clock } from "../base/clock.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { SessionLog } from "../log/log.ts";
import type { FileRewind } from "../snapshots/plan.ts";
import type { RewoundFiles } from "../snapshots/rewind.ts";
import type { ModelClient } from "../model/client.ts";
import type { ContextFact, Entry, Fact } from "../protocol/entry.ts";
import type { Effort, ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Toolbox } from "../tools/tool.ts";
import type { Spending } from "../protocol/budget.ts";
import type { Budget, Limits } from "./budget.ts";
import type { ShrinkImage } from "./repair.ts";
import type { Session } from "./session.ts";
import type { TurnBoundaries } from "./compaction/at-boundary.ts";
import type { ApprovalGate } from "./approvals.ts";
import type { FindCommand } from "./slash-commands.ts";

/** The parts that an agent is made of. */
export type AgentOptions = {
  log: SessionLog;
  model: ModelClient;
  toolbox: Toolbox;
  policy: Policy;
  rules: ModelRules;
  effort?: Effort | undefined;
  clock: Clock;
  hooks: HookRegistry;
  limits?: Limits;
  /** Shared with subagents. */
  budget?: Budget | undefined;
  /** Shared with the run that started this one; absent: it is the only one. */
  spending?: Spending;
  /** Used in place of a model that is overloaded. */
  fallbackModel?: string | undefined;
  /** The server's name of a model that the user named; absent: the same. */
  resolveModelName?(model: string): string;
  /** A copy whose sides are at most `side` pixels; null: there is no smaller one. */
  shrinkImage?: ShrinkImage | undefined;
  boundaries(session: Session): TurnBoundaries | Promise<TurnBoundaries>;
  /** Facts to append before the first prompt: session, environment, instructions. */
  opening(mayRead: (path: string) => Promise<boolean>): Promise<Fact[]>;
  /** Commands that the user and the project define. */
  findCommand?: FindCommand;
  /** Content from elsewhere for a message, such as a resource that it names. */
  attachments?(text: string, signal: AbortSignal): Promise<Fact[]>;
  /** News for the model before the next call, such as new tools; empty: nothing is new. */
  announcements?(path: readonly Entry[], signal: AbortSignal): Promise<Fact[]>;
  /** Keeps a note for later sessions; returns what the model is told, and what the user is. */
  remember?(note: string): Promise<{ fact: ContextFact; warning: string | null }>;
  /** Moves files to another point of the history; returns a description of what it did. */
  rewindFiles(rewind: FileRewind): Promise<RewoundFiles>;
};

/** A running agent: its parts and opened resources. */
export type AgentContext = Omit<AgentOptions, "boundaries"> & {
  session: Session;
  boundaries: TurnBoundaries;
  approvals: ApprovalGate;
};
