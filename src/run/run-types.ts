/** One run of the agent: what it is made of, and what it offers. */

import type { Agent } from "../agent/agent.ts";
import type { Git } from "../agent/opening/environment.ts";
import type { LiveView } from "../context/live-view.ts";
import type { Diagnostics } from "../extensions/diagnostics/diagnostics.ts";
import type { EndReason } from "../extensions/hooks/events.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { Archive } from "../log/archive.ts";
import type { LogStore } from "../log/store.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import type { ModelClient } from "../model/client.ts";
import type { CommandInfo } from "../extensions/project/prompt-files/prompt-files.ts";
import type { Command } from "../protocol/command.ts";
import type { ContextFact, SessionFact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules, ToolDefinition } from "../protocol/model.ts";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";
import type { SharedByAgents } from "../tools/toolbox.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { StartOptions } from "./start.ts";

export type Run = {
  agent: Agent;
  /** The view of its log. */
  live: LiveView;
  toolbox: ToolRunner;
  /** What the first entry of a new session would hold now. */
  opening: { system: string; tools: ToolDefinition[] };
  model: ModelClient;
  modelName: string;
  rules: ModelRules;
  archive: Archive;
  /** Asks git about the folder; null when it is not trusted. */
  git: Git | null;
  /** The instructions that apply here. */
  instructions(): Promise<{ facts: ContextFact[] }>;
  hooks: HookRegistry;
  /** The subagents that can be started. */
  agents: readonly SubagentDefinition[];
  /** Commands and skills that the user can run with a slash. */
  commands(): Promise<CommandInfo[]>;
  /** Null: no MCP servers are configured. */
  mcp: Hub | null;
  /** What is wrong with what was opened, one sentence each. */
  notices: readonly string[];
  /** Stops the agent, waits until its log is complete, and closes everything. */
  close(reason?: EndReason): Promise<void>;
};

export type RunOptions = Pick<
  StartOptions,
  "flags" | "settings" | "requestedModel" | "paths" | "cwd" | "env" | "project" | "tracer"
> & {
  log: LogStore;
  /** Sends a command to the agent while it works; absent: the run ends with its answer. */
  send?: (command: Command) => void;
  /** Subagents besides those of files. */
  agents?: readonly SubagentDefinition[];
  /** Called with what happens in subagents; `toolUse`: the call that started one. */
  onSubagentEvent?: (toolUse: string, event: AgentEvent) => void;
  /** Registers hooks besides those of settings; called for the run and for each subagent. */
  addHooks?: (hooks: HookRegistry, isSubagent: boolean) => void;
  /** The servers of the run that started this one. */
  mcp?: Hub | null;
  /** The language servers of the run that started this one. */
  diagnostics?: Diagnostics | undefined;
  /** What the user allowed, and hooks set, for the session that started this one. */
  shared?: SharedByAgents;
  /** Set for a subagent. */
  startedBy?: NonNullable<SessionFact["startedBy"]>;
};
