/** A subagent at work on a task; `toolUse`: the call that started it, `type`: its definition. */
export type RunningSubagent = { session: string; toolUse: string; type: string; prompt: string };

/** A subagent that can be started: built in, defined in a file, or by a client. */
export type SubagentDefinition = {
  name: string;
  /** When to use it, for the model. */
  description: string;
  /** Its instructions besides our own system prompt. */
  prompt: string;
  /** The only tools that it has; null: all. */
  tools: readonly string[] | null;
  /** Null: the session's. */
  model: string | null;
  /** Read-only. */
  readsOnly: boolean;
};
