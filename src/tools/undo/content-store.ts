/** Contents of a workspace's files, and which file had which when it was last looked at. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../base/guards.ts";
import { makeFolder } from "../../base/durable.ts";

/** Metadata that tells whether a file has changed without reading it. */
export type StatStamp = { size: number; mtimeMs: number; ctimeMs: number; inode: number };

export type KnownFile = StatStamp & { path: string; hash: string };

export type ContentStore = ReturnType<typeof openContents>;

/** Contents that no file has any longer are dropped after a day: a session may still need them. */
const keptMs = 24 * 60 * 60_000;

/** `file`: made for this user alone. A damaged one is replaced: all of it can be read again. */
export function openContents(file: string, nowMs: number) {
  makeFolder(dirname(file));
  const db = attempt(() => openDatabase(file), null) ?? reopen(file);
  db.run("DELETE FROM contents WHERE at < ? AND hash NOT IN (SELECT hash FROM files)", [
    nowMs - keptMs,
  ]);
  const hasContent = db.query<{ hash: string }, [string]>(
    "SELECT hash FROM contents WHERE hash = ?",
  );
  const content = db.query<{ bytes: Uint8Array; isPacked: number }, [string]>(
    "SELECT bytes, isPacked FROM contents WHERE hash = ?",
  );
  const addContent = db.query("INSERT OR IGNORE INTO contents VALUES (?, ?, ?, ?)");
  const addFile = db.query("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)");
  const dropFile = db.query("DELETE FROM files WHERE path = ?");

  /** Many writes are one: each would wait for the disk. */
  const begin = (): void => {
    if (!db.inTransaction) db.run("BEGIN IMMEDIATE");
  };

  return {
    /** Every file that was known when the store was last used. */
    known: (): KnownFile[] => db.query<KnownFile, []>("SELECT * FROM files").all(),

    /** Writes what was added since the last time. */
    commit(): void {
      if (db.inTransaction) db.run("COMMIT");
    },

    add(bytes: Uint8Array, hash: string): void {
      if (hasContent.get(hash)) return;
      begin();
      const isWorthIt = bytes.length >= packedFrom;
      const packed = isWorthIt ? Bun.zstdCompressSync(bytes, { level: 1 }) : bytes;
      addContent.run(hash, packed, isWorthIt ? 1 : 0, nowMs);
    },

    /** Null when it was not kept. */
    load(hash: string): Uint8Array | null {
      const found = content.get(hash);
      if (!found) return null;
      return found.isPacked === 1 ? Bun.zstdDecompressSync(found.bytes) : found.bytes;
    },

    remember({ path, size, mtimeMs, ctimeMs, inode, hash }: KnownFile): void {
      begin();
      addFile.run(path, size, mtimeMs, ctimeMs, inode, hash);
    },

    forget(path: string): void {
      begin();
      dropFile.run(path);
    },

    close(): void {
      if (db.inTransaction) db.run("COMMIT");
      db.close();
    },
  };
}

const packedFrom = 512;

function reopen(file: string): Database {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  return openDatabase(file);
}

function openDatabase(file: string): Database {
  closeSync(openSync(file, "a", 0o600));
  const db = new Database(file);
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  db.run("PRAGMA busy_timeout = 5000");
  db.run(
    "CREATE TABLE IF NOT EXISTS contents (hash TEXT PRIMARY KEY, bytes BLOB, isPacked INTEGER, at REAL)",
  );
  // Without it, finding the old ones reads the bytes of all.
  db.run("CREATE INDEX IF NOT EXISTS contents_by_age ON contents (at, hash)");
  db.run(
    "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, size INTEGER, mtimeMs REAL, ctimeMs REAL, inode INTEGER, hash TEXT) WITHOUT ROWID",
  );
  return db;
}
