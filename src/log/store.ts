import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isoTime, systemClock } from "../base/clock.ts";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import { makeFolder } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";
import { acquireLock, type Lock } from "./lock.ts";
import type { SessionLog } from "./log.ts";
import { formatEntry, parseLine, entryAt } from "./parse.ts";
import { emptyLog, pathTo, readEnd, readInSteps, readLog, type LogContent } from "./read.ts";
import { LineWriter, takenOver } from "./writer.ts";

/** A session log on disk: JSON lines, appended and synced by one process at a time. */
export class LogStore implements SessionLog {
  readonly file: string;
  readonly session: string;
  readonly #lock: Lock;
  readonly #mode: "write" | "read";
  #content: LogContent;
  #writer: LineWriter;
  /** Reads a log of which `#content` is only the end. */
  #steps: ReturnType<typeof readInSteps> | null = null;
  /** Ids of entries not yet on disk. */
  readonly #pending = new Set<EntryId>();
  #path: Entry[];
  /** Parent of the next entry: the head, including entries not yet on disk. */
  #tip: EntryId | null;

  /** `steps`: read all of it; until they have, `content` is its end. */
  constructor(
    file: string,
    content: LogContent,
    lock: Lock | null,
    steps: ReturnType<typeof readInSteps> | null = null,
  ) {
    this.file = file;
    this.session = basename(file, ".jsonl");
    this.#mode = lock === null ? "read" : "write";
    this.#lock = lock ?? noLock;
    this.#content = content;
    this.#steps = steps;
    this.#writer = this.#newWriter();
    this.#path = steps ? newestPath(content) : pathTo(content);
    this.#tip = this.head;
  }

  #newWriter(): LineWriter {
    return new LineWriter(this.file, this.#content.end, () => {
      this.#pending.clear();
      this.#tip = this.head;
    });
  }

  /** Repaired and skipped lines, one sentence each. */
  get repairs(): readonly string[] {
    return this.#content.problems;
  }

  /** Why nothing can be appended; null when it can. */
  get readOnly(): string | null {
    const { laterVersion } = this.#content;
    if (laterVersion !== null)
      return `The session ${this.file} was written by a later version of mini-claude (format ${laterVersion}) and is read-only. Update mini-claude to continue it.`;
    return this.#mode === "read" ? `The session ${this.file} is open read-only.` : null;
  }

  /** False while only the end of a long log has been read. */
  get isWhole(): boolean {
    return this.#steps === null;
  }

  /** Reads on until `isEnough`. Returns whether all of it is read. Throws `LogError`. */
  load(isEnough: () => boolean = () => false): boolean {
    try {
      while (this.#steps !== null) {
        const step = this.#steps.next();
        if (step.done) this.#become(step.value);
        else if (isEnough()) return false;
      }
      return true;
    } catch (error) {
      throw logError(`The session ${this.file} cannot be read`, error);
    }
  }

  async whole(): Promise<void> {
    for (;;) {
      const endMs = performance.now() + sliceMs;
      if (this.load(() => performance.now() > endMs)) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #become(content: LogContent): void {
    this.#steps = null;
    this.#content = content;
    this.#writer = this.#newWriter();
    this.#path = pathTo(content);
    this.#tip = this.head;
  }

  get path(): readonly Entry[] {
    return this.#path;
  }

  get head(): EntryId | null {
    return this.#path.at(-1)?.id ?? null;
  }

  get entries(): readonly Entry[] {
    return this.#content.entries;
  }

  get(id: EntryId): Entry | undefined {
    return this.#content.byId.get(id);
  }

  async append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry> {
    this.load();
    if (this.readOnly !== null) throw new LogError(this.readOnly);
    if (!this.#lock.isOurs()) throw new LogError(takenOver(this.file));
    const parent = options ? options.parent : this.#tip;
    if (parent !== null && !this.#content.byId.has(parent) && !this.#pending.has(parent)) {
      throw new LogError(`There is no entry ${parent} in ${this.file} to continue from.`);
    }
    const position = {
      id: `e${this.#content.lastNumber + 1}`,
      parent,
      at: isoTime(systemClock),
    };
    const line = formatEntry(entryAt(fact, position));
    // Continue with exactly what a resumed session would read.
    const { entry, problem } = parseLine(line);
    if (entry === null || problem !== undefined) {
      throw new LogError(`An entry for ${this.file} ${problem}; it was not written.`);
    }
    entry.parent = parent;
    this.#content.lastNumber++;
    this.#pending.add(entry.id);
    this.#tip = entry.id;
    await this.#writer.write(line);
    this.#admit(entry);
    return entry;
  }

  async close(): Promise<void> {
    // The file is closed, too, where not all of it was read.
    this.#steps?.return(this.#content);
    this.#steps = null;
    try {
      await this.#writer.close();
    } finally {
      this.#lock.release();
    }
  }

  #admit(entry: Entry): void {
    const content = this.#content;
    const extendsPath = entry.parent === this.head;
    this.#pending.delete(entry.id);
    content.entries.push(entry);
    content.byId.set(entry.id, entry);
    if (extendsPath) this.#path.push(entry);
    else this.#path = pathTo(content);
  }
}

/**
 * Creates a session, and its folder. The file appears with the first entry. Throws `LogError` when
 * the folder cannot be written or the session already exists.
 */
export function createLog(folder: string, session: string = newSessionName()): LogStore {
  const file = join(folder, `${session}.jsonl`);
  try {
    makeFolder(folder);
  } catch (error) {
    throw logError(`The sessions folder ${folder} cannot be created`, error);
  }
  const lock = acquireLock(file);
  if (existsSync(file)) {
    lock.release();
    throw new LogError(`The session ${file} already exists.`);
  }
  return new LogStore(file, emptyLog(), lock);
}

/**
 * Opens an existing session; one written by a later version is read-only. Throws `LogError` when it
 * cannot be read, or when another process has it open and `readOnly` is not set.
 */
export function openLog(file: string, options: { readOnly?: boolean } = {}): LogStore {
  const lock = lockFor(file, options.readOnly);
  return opened(file, lock, () => ({ content: readLog(file) }));
}

/** The same, but of a long session only the end is read at first: see `SessionLog.whole`. */
export async function openEndFirst(file: string): Promise<LogStore> {
  const lock = lockFor(file);
  const end = await readEnd(file).catch(() => null);
  return opened(file, lock, () =>
    end ? { content: end, steps: readInSteps(file) } : { content: readLog(file) },
  );
}

function lockFor(file: string, isReadOnly = false): Lock | null {
  if (!existsSync(file)) throw new LogError(`The session ${file} does not exist.`);
  return isReadOnly ? null : acquireLock(file);
}

type OpenedLog = { content: LogContent; steps?: ReturnType<typeof readInSteps> };

function opened(file: string, lock: Lock | null, read: () => OpenedLog): LogStore {
  try {
    const { content, steps } = read();
    const log = new LogStore(file, content, lock, steps);
    if (log.readOnly !== null) lock?.release();
    return log;
  } catch (error) {
    lock?.release();
    throw logError(`The session ${file} cannot be read`, error);
  }
}

/** How the session began, the model, and the newest entries of the path. */
function newestPath(content: LogContent): Entry[] {
  const newest = pathTo(content);
  const begin = content.entries.filter(({ type }) => type === "session" || type === "model");
  return [...begin.filter((entry) => !newest.includes(entry)), ...newest];
}

/** Milliseconds of reading before other tasks run. */
const sliceMs = 5;

const noLock: Lock = { release: () => undefined, isOurs: () => true };

/** A name such as "20261120-233000-4fd1c2": sorts by time and is easy to type. */
export const newSessionName = (now: Date = new Date()): string =>
  `${now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
