/** Styled text into lines of a width. Every line opens and closes its own styles. */

// eslint-disable-next-line no-control-regex -- the codes that a theme paints with
const sgr = /\x1b\[([0-9;]*)m/g;

/** What closes an attribute, and which ones it closes. */
const closers: Record<number, readonly number[]> = {
  22: [1, 2],
  23: [3],
  24: [4],
  27: [7],
  29: [9],
};

/** Prose: breaks between words, where a word fits. */
export const wrapWords = (text: string, width: number): string[] =>
  text === ""
    ? [""]
    : closed(Bun.wrapAnsi(text, Math.max(1, width), { hard: true, trim: true }).split("\n"));

/** Code and output: breaks anywhere, keeps spaces. */
export const wrapAnywhere = (text: string, width: number): string[] =>
  text === ""
    ? [""]
    : closed(
        Bun.wrapAnsi(text, Math.max(1, width), {
          hard: true,
          trim: false,
          wordWrap: false,
        }).split("\n"),
      );

/** At most `width` columns of one line, with an ellipsis where it was cut. */
export function fit(text: string, width: number): string {
  if (width <= 0) return "";
  if (Bun.stringWidth(text) <= width) return text;
  const cut = Bun.sliceAnsi(text, 0, width, "…");
  // A wide character at the edge counts as one column there.
  return Bun.stringWidth(cut) <= width ? cut : Bun.sliceAnsi(text, 0, width - 1, "…");
}

/** `text` padded with spaces to `width` columns. */
export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** A left and a right part at the ends of a line; the left one is cut if it is too long. */
export function spread(left: string, right: string, width: number): string {
  const room = width - Bun.stringWidth(right);
  if (room < 4) return fit(left, width);
  return pad(fit(left, room - 1), room) + right;
}

function closed(lines: string[]): string[] {
  if (!lines.some((line) => line.includes("\x1b"))) return lines;
  let open: number[][] = [];
  return lines.map((line) => {
    const start = open.map((codes) => `\x1b[${codes.join(";")}m`).join("");
    for (const [, codes = ""] of line.matchAll(sgr)) open = after(open, codes);
    return `${start}${line}${open.length > 0 ? "\x1b[0m" : ""}`;
  });
}

function after(open: number[][], codes: string): number[][] {
  const numbers = codes.split(";").map(Number);
  let looks = open;
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i] ?? 0;
    if (code === 0) looks = [];
    else if (code === 39) looks = looks.filter(([first]) => first !== 38);
    else if (closers[code] !== undefined) {
      const closes = closers[code];
      looks = looks.filter(([first = 0]) => !closes.includes(first));
    } else if (code === 38) {
      looks = [...looks.filter(([first]) => first !== 38), numbers.slice(i, i + 3)];
      i += 2;
    } else looks = [...looks, [code]];
  }
  return looks;
}
