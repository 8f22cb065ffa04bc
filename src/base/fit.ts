/** Text for the width of a terminal. */

/** At most `width` columns of one line, with an ellipsis where it was cut. */
export function fit(text: string, width: number): string {
  if (width <= 0) return "";
  if (Bun.stringWidth(text) <= width) return text;
  const cut = Bun.sliceAnsi(text, 0, width, "…");
  // A wide character at the edge counts as one column there.
  return Bun.stringWidth(cut) <= width ? cut : Bun.sliceAnsi(text, 0, width - 1, "…");
}

type Terminal = { isTTY?: boolean; columns?: number };

/** With fewer columns than this beside its name, a description goes below it. */
const minColumns = 30;

/** The lines of a help text, wrapped between words below their description. A pipe gets them as they are. */
export function fitHelp(text: string, terminal: Terminal = process.stdout): string {
  if (!terminal.isTTY) return text;
  // 0: it does not know.
  const columns = terminal.columns || 80;
  const lines = text.split("\n").flatMap((line) => {
    if (line.length <= columns) return [line];
    const start = (/^ *\S.*? {2,}(?=\S)/.exec(line) ?? /^ */.exec(line))?.[0].length ?? 0;
    const fitsBeside = columns - start >= minColumns;
    const indent = " ".repeat(fitsBeside ? start : 6);
    const [first = "", ...more] = Bun.wrapAnsi(
      line.slice(start),
      Math.max(10, columns - indent.length),
    ).split("\n");
    const name = line.slice(0, start);
    const top = fitsBeside ? [name + first] : [name.trimEnd(), indent + first];
    return [...top, ...more.map((part) => indent + part)];
  });
  return lines.join("\n");
}
