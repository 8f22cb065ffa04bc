/** What a reader of one agent's sessions does, and what it returns. */

import { basename } from "node:path";
import type { EntryWriter } from "./entry-writer.ts";
import { Skipped } from "./skipped.ts";
import type { SourceFile } from "./source-file.ts";

type Agent = "Claude Code" | "pi" | "Codex" | "Gemini CLI" | "opencode";

/** What is known about a session of another agent. */
export type SourceInfo = {
  agent: Agent;
  /** The session's id, else the file's name. Never part of a path. */
  id: string;
  cwd: string | null;
  /** Given by the user or the agent. */
  title: string | null;
  /** Time of the first message, milliseconds since the epoch. */
  startedMs: number | null;
  /** The conversation of a subagent. */
  isSubagent: boolean;
  /** Bytes up to the end of the last complete line. */
  bytes: number;
};

/** A session after the first pass, ready to be converted. */
export type ReadResult = {
  info: SourceInfo;
  skipped: Skipped;
  /** It has messages of the user or of a model. */
  hasConversation: boolean;
  /** Reads the file again, in the order of the conversation. */
  convert(writer: EntryWriter): void;
};

/** Reads the sessions of one agent. */
export type Reader = {
  /** Whether only this agent writes such a line, or such a document. */
  recognizes(json: unknown): boolean;
  /** `document`: the whole file, where it is one JSON value. */
  read(file: SourceFile, document?: unknown): ReadResult;
};

/** What a first pass through a file finds out about its session. */
export class Findings {
  readonly skipped = new Skipped();
  id: string | null = null;
  cwd: string | null = null;
  title: string | null = null;
  startedMs: number | null = null;
  isSubagent = false;
  hasConversation = false;

  /** `file`: its path; the name replaces an id that was not found. */
  result(agent: Agent, file: string, bytes: number, convert: ReadResult["convert"]): ReadResult {
    const { skipped, hasConversation, id, cwd, title, startedMs, isSubagent } = this;
    const info = { agent, id: id || basename(file), cwd, title, startedMs, isSubagent, bytes };
    return { info, skipped, hasConversation, convert };
  }
}
