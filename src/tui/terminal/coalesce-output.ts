/**
 * Shortens the terminal's output. Ink walks the cursor from the bottom of the screen to the top and
 * down again line by line, and opens styles only to close them; over a slow connection those are most
 * of the bytes of a key.
 */

/* eslint-disable no-control-regex -- the terminal's own codes */

/** Cursor up, down, to a next line, to a column, more than one; a line feed only where lines follow. */
const moves = /(?:\x1b\[\d*[ABEG]|\n(?=\x1b\[\d*E)){2,}/g;
const move = /\n|\x1b\[(\d*)([ABEG])/g;
const styles = /(?:\x1b\[[\d;]*m){2,}/g;
const style = /\x1b\[([\d;]*)m/g;

/** The same output in fewer bytes, on a screen on which no move of the cursor meets an edge. */
export const shorten = (output: string): string =>
  output.replace(moves, shortenMoves).replace(styles, shortenStyles);

function shortenMoves(run: string): string {
  let down = 0;
  let column: number | null = null;
  for (const [, digits = "", letter = "E"] of run.matchAll(move)) {
    const count = Math.max(1, Number(digits));
    if (letter === "G") column = count;
    else down += letter === "A" ? -count : count;
    if (letter === "E") column = 1;
  }
  if (down > 0 && column === 1) return code(down, "E");
  const rows = down === 0 ? "" : down < 0 ? code(-down, "A") : code(down, "B");
  return rows + (column === null ? "" : column === 1 ? "\r" : code(column, "G"));
}

const code = (count: number, letter: string): string => `\x1b[${count === 1 ? "" : count}${letter}`;

/** The last color, and no attribute that is ended at once. */
function shortenStyles(run: string): string {
  let kept: { kind: string; params: string }[] = [];
  for (const [, params = ""] of run.matchAll(style)) {
    const kind = kindOf(params);
    if (kind === null) return run;
    // Bold and dim hold together; all else replaces what it was before.
    if (!/^[12]$/.test(params)) kept = kept.filter((one) => one.kind !== kind);
    kept.push({ kind, params });
  }
  return `\x1b[${kept.map(({ params }) => params).join(";")}m`;
}

/** What a style code sets, alone; null: more than one thing, or anything else. */
function kindOf(params: string): string | null {
  if (/^(?:3[0-79]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)$/.test(params)) return "text";
  if (/^(?:4[0-79]|10[0-7]|48;5;\d+|48;2;\d+;\d+;\d+)$/.test(params)) return "background";
  if (/^(?:1|2|22)$/.test(params)) return "weight";
  return /^2?[34789]$/.test(params) ? params.slice(-1) : null;
}

/** `stdout`, with every written string shortened. */
export const coalesceOutput = (stdout: NodeJS.WriteStream): NodeJS.WriteStream =>
  new Proxy(stdout, {
    get(target, property) {
      if (property === "write") {
        return (chunk: string | Uint8Array, ...rest: []) =>
          target.write(typeof chunk === "string" ? shorten(chunk) : chunk, ...rest);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
