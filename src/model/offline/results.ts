/** Reads the results of the tools. Lines in any other form are skipped. */

import { clipLine } from "../../base/clip.ts";

/** A line of a file, by its number from 1. */
export type MatchedLine = { path: string; line: number; text: string };

/** A line in an answer. */
export const quote = ({ path, line, text }: MatchedLine): string =>
  `\`${path}:${line}\`${text.trim() === "" ? "" : `  ${clipLine(text.replace(/,\s*$/, ""), 110)}`}`;

/** Lines of a file with their numbers, one below the other. */
export function numbered(lines: readonly MatchedLine[]): string {
  const width = `${lines.at(-1)?.line ?? 0}`.length;
  return lines.map(({ line, text }) => `${`${line}`.padStart(width)}  ${text}`).join("\n");
}

/** A placeholder in place of a result that was removed from the context. */
export const isCleared = (text: string): boolean =>
  /^\[((Result )?(snipped|cleared): |Old result cleared|Content snipped|Previous: used )/.test(
    text,
  );

/** Reads the groups of each line that has the form. */
const linesLike = <T>(text: string, form: RegExp, read: (groups: string[]) => T): T[] =>
  text.split("\n").flatMap((line) => {
    const found = form.exec(line);
    return found ? [read(found.slice(1))] : [];
  });

/** The lines of a page of a file. */
export const pageLines = (path: string, page: string): MatchedLine[] =>
  linesLike(page, /^\s*(\d+)\t(.*)$/, ([line, text = ""]) => ({ path, line: Number(line), text }));

/** Number of lines of the whole file that a page is from; null: the page does not say. */
export function totalLines(text: string): number | null {
  const total = /^\[Lines \d+-\d+ of (\d+)/m.exec(text.slice(-300))?.[1];
  return total === undefined ? null : Number(total);
}

/** Search results: `path:line:text` */
export const parseMatches = (found: string): MatchedLine[] =>
  linesLike(found, /^([^:[][^:]*):(\d+):(.*)$/, ([path = "", line, text = ""]) => {
    return { path, line: Number(line), text };
  });

export const parsePaths = (text: string): string[] =>
  text.split("\n").filter((line) => line !== "" && !/^(\[|No files? match)/.test(line));

/** Files beyond the listed ones. */
export const morePaths = (text: string): number =>
  parseCount(/^\[([\d,]+) more files match/m.exec(text)?.[1]);

/** A count as the tools write it, such as "1,300". */
const parseCount = (text = "0"): number => Number(text.replaceAll(",", ""));
