/** Query and results of a search, with ripgrep or without. */

export type SearchQuery = {
  pattern: string;
  ignoreCase: boolean;
  /** A match may span lines. */
  multiline: boolean;
  /** Lines to show before and after each match. */
  before: number;
  after: number;
  /** Absolute paths of the files to search, in order. */
  files: AsyncIterable<string>;
  signal: AbortSignal;
};

/** `match`: the line or a part of it matched; else it is context. */
export type FoundLine = { line: number; text: string; match: boolean };

/** A file with its number of matching lines. `lines` are in order, at most `linesAtMost`. */
export type FoundFile = { path: string; lines: FoundLine[]; matches: number };

/** Per file; further lines are only counted. */
export const linesAtMost = 2000;
