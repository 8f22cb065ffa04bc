/** Query and results of a search, with ripgrep or without. */

import { sep } from "node:path";

export type SearchQuery = {
  pattern: string;
  ignoreCase: boolean;
  /** A match may span lines. */
  multiline: boolean;
  /** Lines to show before and after each match. */
  before: number;
  after: number;
  /** The folder that all files are in, absolute. */
  folder: string;
  /** The files to search, in order. */
  files: AsyncIterable<FileRun>;
  /** Files whose name begins with a dot are searched as well. */
  hidden: boolean;
  /** Lines that are still needed; further ones are only counted. */
  linesWanted(): number;
  signal: AbortSignal;
};

/** Files of one folder that follow each other in order. */
export type FileRun = {
  folder: string;
  names: readonly string[];
  /** The folder itself holds no other file, except hidden ones if those are not searched. */
  isWhole: boolean;
};

export function pathsOf({ folder, names }: FileRun): string[] {
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  return names.map((name) => prefix + name);
}

/** `at`: where in the line the first match begins; null: it is context. */
export type FoundLine = { line: number; text: string; at: number | null };

/** A file with its number of matching lines. `lines` are in order, at most `maxLines`. */
export type FoundFile = { path: string; lines: FoundLine[]; matches: number };

/** A larger file is not searched. */
export const maxFileBytes = 64 * 1024 * 1024;

/** Per file; further lines are only counted. */
export const maxLines = 2000;
