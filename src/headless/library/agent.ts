/**
 * The agent for other programs.
 *
 * ```ts
 * import { createAgent } from "mini-claude";
 *
 * const agent = await createAgent({ cwd: "/my/project", permissionMode: "plan" });
 * for await (const event of agent.prompt("Where is the log written?"))
 *   if (event.type === "delta" && event.kind === "text") process.stdout.write(event.text);
 * console.log(agent.meter().usedTokens);
 * await agent.close();
 * ```
 */

// Programs that import this check its types without our tsconfig.json.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../../agent/prompts/markdown.d.ts" />
import { currentEnvironment, type Environment } from "../../base/environment.ts";
import { answering } from "../answering.ts";
import { openRun, startForProgram, type OpenRun } from "../../run/open-run.ts";
import { parseFlags } from "../../config/flags.ts";
import type { MeterReading } from "../../context/types.ts";
import type { UserBlock } from "../../protocol/block.ts";
import type { Answer, AgentCommand } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent, Ask, TurnEnd } from "../../protocol/event.ts";
import type { PermissionMode } from "../../protocol/permission.ts";

export type {
  Agent,
  AgentEvent,
  Answer,
  Ask,
  Entry,
  MeterReading,
  PermissionMode,
  TurnEnd,
  UserBlock,
};

export type AgentOptions = {
  /** The folder to work in; default: the process's. */
  cwd?: string;
  /** Default: the settings'. */
  model?: string;
  provider?: "auto" | "anthropic" | "openai" | "offline";
  baseUrl?: string;
  /** Size of the context window, in tokens, to use less than there is. */
  windowTokens?: number;
  permissionMode?: PermissionMode;
  /** Rules such as `Bash(git log:*)`: calls that need no approval, and calls that are denied. */
  allow?: readonly string[];
  deny?: readonly string[];
  /** The only tools that are offered. */
  tools?: readonly string[];
  /** Replaces the system prompt, or is added to it. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Further folders that tools may use. */
  addDirs?: readonly string[];
  /** MCP servers by name, as in a file `.mcp.json`. */
  mcpServers?: Record<string, object>;
  /** Use the folder's own instructions, hooks, commands and agents. */
  trust?: boolean;
  /** The session to continue; a unique prefix of its name is enough. */
  resume?: string;
  /** Calls of the model in a turn. */
  maxTurns?: number;
  /** Spending limit of the run, in US dollars. */
  maxBudgetUsd?: number;
  /** Keys and settings are read from here; default: the environment of the process. */
  env?: Environment;
  /** Answers what needs approval. Without it, that is denied. */
  approve?(ask: Ask): Promise<Answer>;
};

/** One session. One turn at a time. */
class Agent {
  readonly #opened: OpenRun;
  readonly #events: AsyncGenerator<AgentEvent, void>;
  #isBusy = false;

  private constructor(opened: OpenRun, approve: AgentOptions["approve"]) {
    this.#opened = opened;
    const denyAll = async () => ({ allow: false }) as const;
    this.#events = answering(opened.events, opened.send, approve ?? denyAll);
  }

  static async open(options: AgentOptions): Promise<Agent> {
    const { cwd = process.cwd(), approve } = options;
    const env = currentEnvironment(options.env);
    const start = await startForProgram(parseFlags(toArgs(options)), env, cwd);
    return new Agent(await openRun(start, { isUnattended: approve === undefined }), approve);
  }

  /** The name to resume it by. */
  get session(): string {
    return this.#opened.log.session;
  }

  /** Everything that happened so far, as it is on disk. */
  get entries(): readonly Entry[] {
    return this.#opened.log.path;
  }

  /** Errors in the settings, repairs of the log: one sentence each. */
  get notices(): readonly string[] {
    return this.#opened.notices;
  }

  /** Runs a turn; returns how it ended. Throws when another one is running. */
  prompt(prompt: string | UserBlock[]): AsyncGenerator<AgentEvent, TurnEnd> {
    const content: UserBlock[] =
      typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return this.#run({ type: "prompt", content });
  }

  /** Summarizes the conversation; `focus`: what the summary must keep. */
  compact(focus?: string): AsyncGenerator<AgentEvent, TurnEnd> {
    const about = focus === undefined ? {} : { focus };
    return this.#run({ type: "compact", how: "summarize", trigger: "command", ...about });
  }

  /** Undoes a compaction: an entry of type `cut`. */
  undo(cut: string): AsyncGenerator<AgentEvent, TurnEnd> {
    return this.#run({ type: "restore", cut });
  }

  /** Tokens in use, the window, the cache, the cost. */
  meter(): MeterReading {
    return this.#opened.meter();
  }

  /** Ends the turn; the session can be continued. */
  stop(): void {
    this.#opened.send({ type: "stop" });
  }

  /** Stops, and waits until the log is complete. */
  close(): Promise<void> {
    return this.#opened.close();
  }

  async *#run(command: AgentCommand): AsyncGenerator<AgentEvent, TurnEnd> {
    if (this.#isBusy)
      throw new Error("The agent is working on another prompt; wait until it is done.");
    let end: TurnEnd | null = null;
    this.#isBusy = true;
    this.#opened.send(command);
    try {
      for (;;) {
        const { value: event, done } = await this.#events.next();
        if (done) return (end = { why: "stopped" });
        if (event.type === "idle") {
          const { type: _, ...ending } = event;
          return (end = ending);
        }
        yield event;
      }
    } finally {
      // The caller may leave its loop in the middle of the turn.
      if (end === null) await this.#abandon();
      this.#isBusy = false;
    }
  }

  async #abandon(): Promise<void> {
    this.stop();
    for (;;) {
      const { value: event, done } = await this.#events.next();
      if (done || event.type === "idle") return;
    }
  }
}

/** Opens a session in a folder. Throws with a sentence when the folder or an option is not valid. */
export const createAgent = (options: AgentOptions = {}): Promise<Agent> => Agent.open(options);

/** The options as the flags of the command line. */
function toArgs(options: AgentOptions): string[] {
  const { tools, trust, resume, mcpServers, allow = [], deny = [], addDirs = [] } = options;
  const flag = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  return [
    ...flag("model", options.model),
    ...flag("provider", options.provider),
    ...flag("base-url", options.baseUrl),
    ...flag("window", options.windowTokens),
    ...flag("permission-mode", options.permissionMode),
    ...allow.flatMap((rule) => flag("allowedTools", rule)),
    ...deny.flatMap((rule) => flag("disallowedTools", rule)),
    ...flag("tools", tools?.join(",")),
    ...flag("system-prompt", options.systemPrompt),
    ...flag("append-system-prompt", options.appendSystemPrompt),
    ...addDirs.flatMap((folder) => flag("add-dir", folder)),
    ...flag("mcp-config", mcpServers && JSON.stringify({ mcpServers })),
    ...flag("resume", resume),
    ...flag("max-turns", options.maxTurns),
    ...flag("max-budget-usd", options.maxBudgetUsd),
    ...(trust ? ["--trust"] : []),
  ];
}
