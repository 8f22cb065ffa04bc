/** The input of a reader, one agent's session file, and its output, a session to write. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { attempt } from "../../base/guards.ts";
import type { ForeignStep } from "./conversation.ts";
import { cleanLine, parseJson } from "./json.ts";

const maxFileBytes = 256 * 1024 ** 2;

/** Longer lines are skipped unread: no message that could be resumed is that long. */
export const maxLineBytes = 64 * 1024 ** 2;

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
    if (info.size > maxFileBytes) throw new Error(tooLarge);
    this.path = path;
    this.changedMs = Math.trunc(info.mtimeMs);
    const content = readFileSync(path);
    this.#content = path.endsWith(".zst") ? unpack(content) : content;
  }

  get bytes(): number {
    return this.#content.length;
  }

  /** Parses every line, including a last one without a newline; what is not JSON is only counted. */
  *lines(skipped?: Skipped): Generator<unknown, void> {
    const content = this.#content;
    for (let start = 0, end = 0; start < content.length; start = end + 1) {
      const newline = content.indexOf(10, start);
      end = newline === -1 ? content.length : newline;
      if (end - start > maxLineBytes) {
        skipped?.add("lines over 64 MB");
        continue;
      }
      const text = content.toString("utf8", start, end).replace(/^\uFEFF/, "");
      if (text.trim() === "") continue;
      const json = parseJson(text);
      if (json !== undefined) yield json;
      else skipped?.add(newline === -1 ? "an incomplete last line" : "lines that are not JSON");
    }
  }
}

const tooLarge = "it is larger than 256 MB";

function unpack(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxFileBytes });
  } catch (error) {
    if (error instanceof RangeError) throw new Error(tooLarge);
    throw error;
  }
}

/**
 * Files with the extension .jsonl or .jsonl.zst below a folder, at most `maxDepth` folders deep; none
 * where a folder cannot be read. Links to folders are not followed, since they may form a cycle.
 */
export function findSourceFiles(folder: string, maxDepth = Infinity): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return maxDepth > 0 ? findSourceFiles(path, maxDepth - 1) : [];
    const isFile = entry.isFile() || entry.isSymbolicLink();
    return isFile && /\.jsonl(?:\.zst)?$/.test(entry.name) ? [path] : [];
  });
}

type ForeignAgent = "Claude Code" | "pi" | "Codex";

/** Facts about a session of another agent, collected while its file is read. */
export class ForeignSession {
  readonly agent: ForeignAgent;
  /** The session's id, else the file's name. Never part of a path. */
  id: string;
  cwd: string | null = null;
  /** Given by the user or the agent. */
  title: string | null = null;
  /** Time of the first message, milliseconds since the epoch; without any, of the file. */
  startedMs: number | null = null;
  /** The conversation of a subagent. */
  isSubagent = false;
  /** Bytes of the file, or of all files of the conversation. */
  bytes: number;
  /** It has messages of the user or of a model. */
  hasConversation = false;
  readonly skipped = new Skipped();

  constructor(agent: ForeignAgent, file: SourceFile) {
    this.agent = agent;
    this.id = basename(file.path);
    this.bytes = file.bytes;
  }
}

/** A session in the common shape. `latest`: the step that the user saw last. */
export type ReadConversation = {
  session: ForeignSession;
  steps: readonly ForeignStep[];
  latest: ForeignStep | null;
};

/** Reads the sessions of one agent. */
export type Reader = {
  /** Whether only this agent writes such a line. */
  recognizes(json: unknown): boolean;
  read(file: SourceFile): ReadConversation;
};

/** Kinds listed by name; a hostile file may have a new one on every line. */
const maxKinds = 40;

/** Counts by kind what is not imported from a file. */
export class Skipped {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    const name = cleanLine(kind, 60) || "unnamed";
    const known = this.#counts.has(name) || this.#counts.size < maxKinds;
    const key = known ? name : "other kinds";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** Most frequent first. */
  get kinds(): [kind: string, count: number][] {
    return [...this.#counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
}

/** The first `most` kinds with their counts, and the sum of the others; empty without any. */
export function formatKinds(kinds: readonly [kind: string, count: number][], most: number): string {
  const named = kinds.slice(0, most).map(([kind, count]) => `${count} ${kind}`);
  const rest = kinds.slice(most).reduce((sum, [, count]) => sum + count, 0);
  return [...named, ...(rest > 0 ? [`${rest} of other kinds`] : [])].join(", ");
}
