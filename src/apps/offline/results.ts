/** Reading what the tools gave. Tolerant: whatever is no such line is passed over. */

export type Line = { number: number; text: string };
export type Match = { path: string; line: number; text: string };

/** A placeholder that stands where a result was. */
export const isGone = (text: string): boolean =>
  /^\[(Result (snipped|cleared): |Old result cleared|Content snipped|Previous: used )/.test(text);

/** Lines of a read_file result without their numbers. */
export function numberedLines(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\t(.*)$/.exec(line);
    return found ? [{ number: Number(found[1]), text: found[2] ?? "" }] : [];
  });
}

/** Matches of a grep result: `path:line:text`. */
export function matchesIn(text: string): Match[] {
  return text.split("\n").flatMap((line) => {
    const found = /^(.+?):(\d+):(.*)$/.exec(line);
    return found?.[1] ? [{ path: found[1], line: Number(found[2]), text: found[3] ?? "" }] : [];
  });
}

/** Paths of a glob result. */
export const pathsIn = (text: string): string[] =>
  isGone(text)
    ? []
    : text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("[") && !line.startsWith("No file"));

/** The line from which a page that was cut short goes on; null: it was read to its end. */
export function nextOffset(text: string): number | null {
  const found = /\[Lines \d+-\d+[^\]]*Go on with offset (\d+)\.\]\s*$/.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** Lines of the whole file, where a page tells. */
export function totalLines(text: string): number | null {
  const found = /\[Lines \d+-\d+ of (\d+)\./.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** The first words of a result, for a sentence. */
export const firstWords = (text: string, lines = 3): string =>
  text.split("\n").slice(0, lines).join(" ").trim();
