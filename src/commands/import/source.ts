/** The input of a reader, one agent's session file, and its output, a conversation to write. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { attempt } from "../../base/guards.ts";
import type { AssistantBlock, ResultBlock, UserBlock } from "../../protocol/block.ts";
import type { ContextFact, NoteFact, Trigger } from "../../protocol/entry.ts";
import type { Stop, Usage } from "../../protocol/model.ts";
import { parseClean } from "./json.ts";

const maxFileBytes = 256 * 1024 ** 2;

/** A file of JSON lines, read whole: what another program appends later is not seen. */
export class SourceFile {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
  readonly #content: Buffer;

  /** Throws when it is not a regular file, is larger than 256 MB unpacked, or cannot be read. */
  constructor(path: string) {
    const info = statSync(path);
    // Opening a pipe would block until something is written to it.
    if (!info.isFile()) throw new Error("it is not a regular file");
    if (info.size > maxFileBytes) throw new Error("it is larger than 256 MB");
    this.path = path;
    this.changedMs = Math.trunc(info.mtimeMs);
    const content = readFileSync(path);
    this.#content = path.endsWith(".zst")
      ? zstdDecompressSync(content, { maxOutputLength: maxFileBytes })
      : content;
  }

  get bytes(): number {
    return this.#content.length;
  }

  /** Every line that is not empty; undefined for one that is not JSON. */
  *lines(): Generator<unknown, void> {
    for (let start = 0, end = 0; start < this.#content.length; start = end + 1) {
      const newline = this.#content.indexOf(10, start);
      end = newline === -1 ? this.#content.length : newline;
      const text = this.#content.toString("utf8", start, end);
      if (text.trim() !== "") yield parseClean(text);
    }
  }
}

/**
 * Files with the extension .jsonl or .jsonl.zst below a folder; none where a folder cannot be read.
 * Links to folders are not followed, since they may form a cycle.
 */
export function findSourceFiles(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findSourceFiles(path);
    const isFile = entry.isFile() || entry.isSymbolicLink();
    return isFile && /\.jsonl(?:\.zst)?$/.test(entry.name) ? [path] : [];
  });
}

/** An event of another agent's session, without its time. Ids are those of its file. */
export type Untimed =
  | { type: "user"; content: UserBlock[] }
  | { type: "context"; kind: ContextFact["kind"]; title: string; content: UserBlock[] }
  | {
      type: "answer";
      content: AssistantBlock[];
      model: string | null;
      usage: Usage;
      /** Absent: derived from whether it calls tools. */
      stop?: Stop | undefined;
    }
  | { type: "result"; call: string; content: ResultBlock[]; isError: boolean }
  | {
      type: "summary";
      text: string;
      trigger: Trigger;
      tokensBefore: number;
      tokensAfter?: number | null;
      /** The first event that was kept; absent: everything before is covered. */
      kept?: ForeignEvent | undefined;
    }
  | { type: "model"; model: string }
  | { type: "note"; kind: NoteFact["kind"]; text: string };

/** `atMs`: milliseconds since the epoch; null: the time of the event before. */
export type ForeignEvent = { atMs: number | null } & Untimed;

type ForeignAgent = "Claude Code" | "Codex";

/** A session of another agent, as the user saw it last. Filled while its file is read. */
export type Conversation = {
  agent: ForeignAgent;
  /** The session's id, else the file's name. Never part of a path. */
  id: string;
  cwd: string | null;
  /** Given by the user or the agent. */
  title: string | null;
  /** The conversation of a subagent. */
  isSubagent: boolean;
  /** Bytes of the file, or of all files of the conversation. */
  bytes: number;
  /** Lines without a counterpart here. */
  skipped: number;
  events: ForeignEvent[];
};

export const beginConversation = (agent: ForeignAgent, file: SourceFile): Conversation => ({
  agent,
  id: basename(file.path),
  cwd: null,
  title: null,
  isSubagent: false,
  bytes: file.bytes,
  skipped: 0,
  events: [],
});

/** Reads the sessions of one agent. */
export type Reader = {
  readonly agent: ForeignAgent;
  /** Whether only this agent writes such a line. */
  recognizes(json: unknown): boolean;
  read(file: SourceFile, session: Conversation): void;
};
