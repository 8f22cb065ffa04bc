/** Keeps what is replaced or removed, for a rewind: its content is saved, or it is put aside if that is too much. */

import { constants, linkSync, mkdirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { basename, dirname } from "../../base/path-bytes.ts";
import { isPack, maxKeptBytes, sameName } from "../../protocol/kept.ts";
import { linkAt, rawOf, readClosed, type RawPath } from "./look-at.ts";
import type { StateChange } from "./workspace-state.ts";

export type KeepOptions = {
  /** A new private folder: what is too much to be saved is put there. */
  keptFolder: string;
  /** Saves a content for a rewind; returns its hash. */
  save(bytes: Uint8Array): Promise<string>;
  /** More than this is not saved, in bytes. */
  maxBytes: number;
};

/**
 * "changed": by somebody else, while it was taken over. "open": to be written, by another program.
 * "unkept": it could not be undone.
 */
export class Stopped extends Error {
  constructor(readonly why: "changed" | "open" | "unkept" | "failed") {
    super(why);
  }
}

/** More contents than this are not saved: for each, we wait for the disk. */
export const maxSaved = 200;

export function keeper({ keptFolder, save, maxBytes }: KeepOptions) {
  const saved = { files: 0, bytes: 0 };
  /** Still there, under other names. */
  const kept: StateChange[] = [];
  let places = 0;

  const holdsTooMany = (bytes: number): boolean => saved.bytes + bytes > maxBytes;

  /** A free place. A pack of git is known by its name. */
  function placeFor(path: string): string {
    places += 1;
    const to = join(keptFolder, `${places}`, ...(isPack(path) ? [basename(path)] : []));
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    return to;
  }

  const isTooMuch = (files: number, bytes: number): boolean =>
    saved.files + files > maxSaved || holdsTooMany(bytes);

  return {
    kept,
    holdsTooMany,
    isTooMuch,
    placeFor,

    /** Keeps what is at a path, which is no folder; returns its name. Throws `Stopped`. */
    async keep(path: string, at: RawPath, stat: Stats): Promise<string> {
      if (stat.isSymbolicLink()) return `link:${linkAt(at)}`;
      if (!stat.isFile()) return "other";
      const isLarge = stat.size > maxKeptBytes || isPack(path);
      if (isLarge || isTooMuch(1, stat.size)) {
        const to = placeFor(path);
        if (attempt(() => (linkSync(at, to), true), false)) {
          kept.push({ path: to, before: null, after: sameName(path, stat) });
          return sameName(path, stat);
        }
        // On another file system.
        if (isLarge || holdsTooMany(stat.size)) throw new Stopped("unkept");
      }
      saved.files += 1;
      saved.bytes += stat.size;
      return save(readAny(at, stat));
    },
  };
}

/** Throws `Stopped`. */
export function readAny(path: RawPath, stat: Stats): Uint8Array {
  // Somebody may have put a link or a pipe in its place.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const bytes = attempt(() => readFileSync(rawOf(path), { flag }), null) ?? readClosed(path, stat);
  if (bytes === null) throw new Stopped("failed");
  return bytes;
}
