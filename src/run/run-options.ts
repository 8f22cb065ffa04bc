import type { Budget } from "../agent/budget.ts";
import type { Diagnostics } from "../extensions/diagnostics/diagnostics.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { readHooks } from "../extensions/hooks/settings.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import type { LogStore } from "../log/store.ts";
import type { AgentCommand, Answer } from "../protocol/command.ts";
import type { SessionFact } from "../protocol/entry.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import type { RunningSubagent, SubagentDefinition } from "../protocol/subagent-definition.ts";
import type { SharedByAgents } from "../tools/toolbox.ts";
import type { StartOptions } from "./start.ts";

/** Everything that decides about a run. */
export type RunOptions = Pick<
  StartOptions,
  | "flags"
  | "settings"
  | "consent"
  | "requestedModel"
  | "paths"
  | "cwd"
  | "env"
  | "project"
  | "debugLog"
> & {
  log: LogStore;
  /** Sends a command to the agent while it works; absent: the run ends with its answer. */
  send?: (command: AgentCommand) => void;
  /** Unattended run: no answers, no approvals. */
  isUnattended?: boolean;
  /** Subagents besides those of files. */
  agents?: readonly SubagentDefinition[];
  /** Called with what happens in subagents. */
  onSubagentEvent?: (subagent: RunningSubagent, event: AgentEvent) => void;
  /** Answers what a subagent asks in the background; absent: a question of the agent's own. */
  askInBackground?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
  /** Registers hooks besides those of settings; called for the run and for each subagent. */
  addHooks?: (hooks: HookRegistry, isSubagent: boolean) => void;
  /** Set for a subagent. */
  parent?: ParentRun;
};

/** Parts that a subagent shares with the run that started it. */
export type ParentRun = {
  startedBy: NonNullable<SessionFact["startedBy"]>;
  mcp: Hub | null;
  diagnostics: Diagnostics | null;
  shared: SharedByAgents;
  budget: Budget;
  /** The hooks of settings. */
  read: ReturnType<typeof readHooks>;
};
