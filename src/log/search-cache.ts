import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, closeSync, openSync, rmSync } from "node:fs";

/** Position of a piece of text: the line in the log, and the piece of that entry. */
export type CachePosition = { at: number; bytes: number; piece: number; score: number };

/** Increased when the schema below changes; older caches are then rebuilt. */
const schemaVersion = 2;

/** The index file of a log. It can be deleted at any time. */
const cacheFileOf = (logFile: string): string => `${logFile.replace(/\.jsonl$/, "")}.fts.sqlite`;

export const cacheFilesOf = (logFile: string): string[] =>
  ["", "-wal", "-shm"].map((end) => cacheFileOf(logFile) + end);

/** Above this many matches ranking takes too long and says little; the newest are shown instead. */
const maxRanked = 3_000;

/** Progress of the index: bytes of complete lines, and pieces of the line after them. */
export type CacheMark = { bytes: number; pieces: number };

/** A piece to index; with `text` null only the progress is updated. */
export type IndexStep = {
  place: Omit<CachePosition, "score">;
  text: string | null;
  next: CacheMark;
};

/**
 * The index in SQLite: words and their positions in the log, never the text itself. Progress is
 * saved in the same transaction as the words.
 */
export class SearchCache {
  readonly #db: Database;

  /** `stamp` identifies the log. Throws when the file is not an index of that log. */
  constructor(file: string, stamp: string) {
    this.#db = openPrivately(file);
    try {
      this.#db.run("PRAGMA busy_timeout = 200");
      this.#db.run("PRAGMA journal_mode = WAL");
      this.#db.run("PRAGMA synchronous = NORMAL");
      this.#db.transaction(() => this.#prepare(stamp)).immediate();
      // From now on waiting would block the screen; the caller retries later instead.
      this.#db.run("PRAGMA busy_timeout = 0");
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get mark(): CacheMark {
    const row = this.#db.query<CacheMark, []>("SELECT bytes, pieces FROM progress").get();
    if (!row) throw new Error("the index has no progress");
    return row;
  }

  /** Indexes the steps; false when another process has moved the index on from `mark`. */
  advance(mark: CacheMark, steps: readonly IndexStep[]): boolean {
    const last = steps.at(-1)?.next ?? mark;
    return this.#db
      .transaction(() => {
        const now = this.mark;
        if (now.bytes !== mark.bytes || now.pieces !== mark.pieces) return false;
        for (const { place, text } of steps) if (text !== null) this.#add(place, text);
        // Merge a little each time instead of a lot now and then.
        this.#db.run("INSERT INTO words (words, rank) VALUES ('merge', 30)");
        this.#db.query("UPDATE progress SET bytes = ?, pieces = ?").run(last.bytes, last.pieces);
        return true;
      })
      .immediate();
  }

  /** Best positions first; for very common words, the newest. */
  find(match: string, limit: number): CachePosition[] {
    const newest = this.#db
      .query<{ id: number }, [string, number]>(
        "SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
      )
      .all(match, maxRanked);
    if (newest.length === maxRanked) {
      const ids = newest.slice(0, limit).map(({ id }) => id);
      return this.#db
        .query<CachePosition, [string]>(
          `SELECT at, bytes, piece, id AS score FROM places
             WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
        )
        .all(JSON.stringify(ids));
    }
    return this.#db
      .query<CachePosition, [string, number]>(
        `SELECT at, bytes, piece, -found.score AS score FROM
           (SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?)
           AS found JOIN places ON places.id = found.id ORDER BY score DESC`,
      )
      .all(match, limit);
  }

  close(): void {
    this.#db.close();
  }

  #add(place: Omit<CachePosition, "score">, text: string): void {
    const { lastInsertRowid } = this.#db
      .query("INSERT INTO places (at, bytes, piece) VALUES (?, ?, ?)")
      .run(place.at, place.bytes, place.piece);
    this.#db.query("INSERT INTO words (rowid, text) VALUES (?, ?)").run(lastInsertRowid, text);
  }

  #prepare(stamp: string): void {
    const version = this.#db.query<{ user_version: number }, []>("PRAGMA user_version").get();
    if (version?.user_version === schemaVersion) {
      const row = this.#db.query<{ stamp: string }, []>("SELECT stamp FROM progress").get();
      if (row?.stamp !== stamp) throw new Error("the index belongs to another log");
      return;
    }
    if (version?.user_version !== 0) throw new Error("the index has another schema");
    for (const statement of [
      "CREATE TABLE progress (stamp TEXT NOT NULL, bytes INTEGER NOT NULL, pieces INTEGER NOT NULL)",
      "CREATE TABLE places (id INTEGER PRIMARY KEY, at INTEGER, bytes INTEGER, piece INTEGER)",
      "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61')",
      "INSERT INTO words (words, rank) VALUES ('automerge', 0)",
      "INSERT INTO words (words, rank) VALUES ('crisismerge', 1000)",
      "INSERT INTO words (words, rank) VALUES ('hashsize', 200000)",
      `PRAGMA user_version = ${schemaVersion}`,
    ]) {
      this.#db.run(statement);
    }
    this.#db.query("INSERT INTO progress VALUES (?, 0, 0)").run(stamp);
  }
}

/** SQLite would create a world-readable file, so it is created first. */
function openPrivately(file: string): Database {
  if (file !== ":memory:") {
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
  }
  return new Database(file, { create: true });
}

export function removeCache(logFile: string): void {
  for (const file of cacheFilesOf(logFile)) rmSync(file, { force: true });
}

/** True when another process is writing to the index. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");

/** Opens the index of a log; rebuilds it when unusable, and keeps it in memory as a last resort. */
export function openCache(logFile: string, stamp: string): SearchCache {
  const file = cacheFileOf(logFile);
  try {
    return new SearchCache(file, stamp);
  } catch (error) {
    if (isBusy(error)) return new SearchCache(":memory:", stamp);
  }
  try {
    removeCache(logFile);
    return new SearchCache(file, stamp);
  } catch {
    return new SearchCache(":memory:", stamp);
  }
}
