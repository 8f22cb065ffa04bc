/** The state of the workspace at the last scan, saved for the next session: a row per folder. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, rmSync } from "node:fs";
import { z } from "zod";
import { attempt, parseJson } from "../base/guards.ts";

/** The state of a path. `kept`: as in a checkpoint. `mode`: the bits of permission. */
export type Seen = { kept: string; mode: number };

/** Size, inode, modification time and status change time; null: rescan. */
export type Stamp = readonly [size: number, inode: number, mtimeMs: number, ctimeMs: number];
type FileRecord = Seen & { stamp: Stamp | null };

export type FolderRecord = Seen & {
  path: string;
  stamp: Stamp | null;
  /** "out": not scanned. "git": scanned for configuration and hooks only. */
  kind: "in" | "out" | "git";
  /** By full path, to avoid joining names on every scan. */
  files: Map<string, FileRecord>;
  folders: Map<string, FolderRecord>;
};

const stampSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable();
const rowSchema = z.object({
  at: z.string(),
  kept: z.string(),
  mode: z.number(),
  stamp: stampSchema,
  kind: z.enum(["in", "out", "git"]),
  files: z.array(z.tuple([z.string(), z.string(), z.number(), stampSchema])),
});

export type Records = ReturnType<typeof openRecords>;

/** Readable by this user only. A damaged file is replaced, because a scan restores its contents. */
export function openRecords(file: string) {
  const db = attempt(() => openDatabase(file), null) ?? reopen(file);
  const put = db.query("INSERT OR REPLACE INTO folders VALUES (?, ?)");
  const drop = db.query("DELETE FROM folders WHERE path = ?");
  return {
    /** By path. */
    read(): Map<string, FolderRecord> {
      const found = new Map<string, FolderRecord>();
      for (const { row } of db.query<{ row: string }, []>("SELECT row FROM folders").all()) {
        const parsed = rowSchema.safeParse(parseJson(row));
        if (!parsed.success) continue;
        const { at: path, kept, mode, stamp, kind } = parsed.data;
        const files = parsed.data.files.map(([name, kept, mode, stamp]): [string, FileRecord] => [
          `${path}/${name}`,
          { kept, mode, stamp },
        ]);
        const folder = { path, kept, mode, stamp, kind, files: new Map(files) };
        found.set(path, { ...folder, folders: new Map() });
      }
      return found;
    },

    write(changed: Iterable<FolderRecord>, gone: Iterable<string>): void {
      db.run("BEGIN IMMEDIATE");
      for (const path of gone) drop.run(keyOf(path));
      for (const { path: at, kept, mode, stamp, kind, files } of changed) {
        const list = [...files].map(([path, file]) => [
          path.slice(at.length + 1),
          file.kept,
          file.mode,
          file.stamp,
        ]);
        put.run(keyOf(at), JSON.stringify({ at, kept, mode, stamp, kind, files: list }));
      }
      db.run("COMMIT");
    },

    close: (): void => db.close(),
  };
}

/** SQLite takes only well-formed text. */
const keyOf = (path: string): string => (path.isWellFormed() ? path : JSON.stringify(path));

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
  db.run("CREATE TABLE IF NOT EXISTS folders (path TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID");
  return db;
}
