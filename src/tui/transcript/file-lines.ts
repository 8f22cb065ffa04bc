/** Lays out lines of a file, in the colors of its language. */

import { Highlighter } from "../code/highlight.ts";
import { languageOf } from "../code/languages.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { wrapAnywhere } from "../wrap.ts";

/** A line as tools number them. */
const numbered = /^ *(\d+)\t(.*)$/;

export const isNumbered = (text: string): boolean => numbered.test(text.split("\n", 1)[0] ?? "");

/** Columns of the line numbers and the bar beside them. */
export const gutterColumns = 9;

/** A line number and the bar beside it. */
export const gutterOf = (number: string): string => `${number.padStart(6)} │`;

/** `lines`: numbered, but for notes on the file. */
export function fileLines(
  lines: readonly string[],
  path: string,
  { width, theme }: { width: number; theme: Theme },
): string[] {
  const highlighter = new Highlighter(languageOf(path), theme);
  const room = Math.max(1, width - gutterColumns);
  return lines.flatMap((line) => {
    const [, number = "", code] = numbered.exec(line) ?? [];
    const painted =
      code === undefined ? theme.paint("dim", sanitize(line)) : highlighter.line(sanitize(code));
    return wrapAnywhere(painted, room).map(
      (piece, index) => `${theme.paint("dim", gutterOf(index === 0 ? number : ""))} ${piece}`,
    );
  });
}
