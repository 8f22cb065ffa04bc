import type { Skipped } from "./skipped.ts";
import type { EntryWriter } from "./entry-writer.ts";
import type { SourceFile } from "./source-file.ts";

export type Agent = "Claude Code" | "pi" | "Codex";

/** What a session of another agent says of itself. */
export type SourceInfo = {
  agent: Agent;
  /** Its own id; the file's name where it has none. Never part of a path. */
  id: string;
  cwd: string | null;
  /** What the person, or the agent, called it. */
  title: string | null;
  /** Of the first message, milliseconds since the epoch. */
  startedMs: number | null;
  /** A conversation that an agent held with another one on its own behalf. */
  isSubagent: boolean;
  /** Up to the end of the last whole line. */
  bytes: number;
};

/** A session that was looked through once, and can be told entry by entry. */
export type ReadResult = {
  about: SourceInfo;
  leftOut: Skipped;
  /** It holds words of a person or of a model. */
  hasConversation: boolean;
  /** Reads the file a second time, in the order of the conversation. */
  tell(scribe: EntryWriter): void;
};

/** How the sessions of one agent are read. */
export type Reader = {
  agent: Agent;
  /** Whether a line, as JSON, can only be one of this agent. */
  knows(line: unknown): boolean;
  read(file: SourceFile): ReadResult;
};
