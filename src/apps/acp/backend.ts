/** What the program provides for an editor. */

import type { UserBlock } from "../../protocol/block.ts";
import type { Command } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Effort } from "../../protocol/model.ts";
import type { PermissionMode } from "../../protocol/permission.ts";

export type OpenOptions = {
  cwd: string;
  addedFolders: readonly string[];
  /** MCP servers of the editor: the content of a file `.mcp.json`. */
  mcpConfig: string | null;
  /** The session to continue; null: a new one. */
  session: string | null;
};

export type BackendSession = {
  id: string;
  /** What happened before, on the path of the head. */
  history: readonly Entry[];
  events: AsyncGenerator<AgentEvent, void>;
  send(command: Command): void;
  /** A message of the user as a command. */
  commandFor(content: UserBlock[]): Command;
  mode(): PermissionMode;
  models: readonly string[];
  /** As they are now. `effort`: null, what the model does by itself. */
  choice(): { model: string; effort: Effort | null };
  commands: readonly { name: string; description: string; hint: string }[];
  meter(): { usedTokens: number; windowTokens: number; costUsd: number };
  close(): Promise<void>;
};

type ListedSession = { session: string; cwd: string; title: string; changedMs: number };

export type Backend = {
  version: string;
  /** Throws with a sentence. */
  open(options: OpenOptions): Promise<BackendSession>;
  /** Throws with a sentence. */
  remove(session: string): Promise<void>;
  /** Null: of all folders. */
  list(cwd: string | null): Promise<readonly ListedSession[]>;
};
