/** What a search finds, whoever searches. */

export type SearchQuery = {
  pattern: string;
  ignoreCase: boolean;
  /** Lines before and after each match. */
  context: number;
  /** Absolute path of a file or folder. */
  path: string;
  hidden: boolean;
  /** Which files count, by absolute path. */
  wants(path: string): boolean;
  signal: AbortSignal;
};

export type FoundLine = { line: number; text: string; match: boolean };

/** One file with matches; `lines` in order, context included, bounded by `linesAtMost`. */
export type FoundFile = { path: string; lines: FoundLine[]; matches: number };

/** Of one file; what is beyond is only counted. */
export const linesAtMost = 2000;

/** Yields files in the order of their paths, as `walkFiles` does. Throws `ToolError` for a bad pattern. */
export type Search = (query: SearchQuery) => AsyncGenerator<FoundFile>;
