import xterm from "@xterm/headless";
import type { Emulator } from "../../ui/emulator.ts";

/** Browsers collapse ordinary spaces and stretch the remaining ones. */
const space = "\u00a0";

const cell = { width: 8.4, height: 18 };
type Ink = { back: string; text: string; dim: string };

export const darkInk: Ink = { back: "#16181d", text: "#d7dae0", dim: "#7d838f" };

export const lightInk: Ink = { back: "#fcfcfa", text: "#22252b", dim: "#7a7f8a" };

/** The xterm palette: 16 named colors, a cube, a grey ramp. */
function findPaletteColor(index: number): string {
  const named = [
    "#000000",
    "#cd3131",
    "#0dbc79",
    "#e5e510",
    "#2472c8",
    "#bc3fbc",
    "#11a8cd",
    "#e5e5e5",
    "#666666",
    "#f14c4c",
    "#23d18b",
    "#f5f543",
    "#3b8eea",
    "#d670d6",
    "#29b8db",
    "#ffffff",
  ];
  if (index < 16) return named[index] ?? darkInk.text;
  const hex = (...levels: number[]): string =>
    `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex(grey, grey, grey);
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A terminal's screen as a picture that needs only a monospaced font. */
export function toSvg(pty: Pick<Emulator, "terminal">, colors: Ink): string {
  const { cols, rows } = pty.terminal;
  const drawn = Array.from({ length: rows }, (_, row) => rowToSvg(pty, row, colors));
  return svgPage({ cols, rows }, colors, drawn.filter((row) => row !== "").join("\n"));
}

/** The picture of a terminal of this size; `body` is drawn on its background. */
export function svgPage(
  { cols, rows }: { cols: number; rows: number },
  colors: Ink,
  body: string,
): string {
  const width = 28 + cols * cell.width;
  const height = 28 + rows * cell.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14"><rect width="100%" height="100%" rx="8" fill="${colors.back}"/>\n${body}\n</svg>\n`;
}

/** A row of the screen, at its place in the picture; empty when it shows nothing. */
export function rowToSvg(
  { terminal }: Pick<Emulator, "terminal">,
  row: number,
  colors: Ink,
): string {
  const { cols, buffer } = terminal;
  const line = buffer.active.getLine(buffer.active.viewportY + row);
  const pieces: string[] = [];
  for (let column = 0; column < cols;) {
    const first = line?.getCell(column);
    if (!first) break;
    const look = describeLook(first, colors);
    const ground = findGround(first, colors);
    let text = "";
    const start = column;
    while (column < cols) {
      const next = line?.getCell(column);
      if (!next || describeLook(next, colors) !== look || findGround(next, colors) !== ground)
        break;
      text += next.getChars() || space;
      column += Math.max(1, next.getWidth());
    }
    const x = 14 + start * cell.width;
    const width = (column - start) * cell.width;
    if (ground !== null)
      pieces.push(
        `<rect x="${x.toFixed(1)}" y="${16 + row * cell.height}" width="${width.toFixed(1)}" height="${cell.height}" fill="${ground}"/>`,
      );
    // Not every viewer keeps spaces at the ends.
    const shown = text.replaceAll(space, " ").trim();
    if (shown === "") continue;
    const left = x + (text.length - text.replaceAll(space, " ").trimStart().length) * cell.width;
    const length = Bun.stringWidth(shown) * cell.width;
    pieces.push(
      `<text x="${left.toFixed(1)}" y="${30 + row * cell.height}" textLength="${length.toFixed(1)}" ${look}>${escape(shown.replaceAll(" ", space))}</text>`,
    );
  }
  return pieces.join("\n");
}

type Cell = NonNullable<
  ReturnType<
    NonNullable<ReturnType<Emulator["terminal"]["buffer"]["active"]["getLine"]>>["getCell"]
  >
>;

const findInk = (one: Cell, colors: Ink): string =>
  one.isDim() ? colors.dim : one.isFgPalette() ? findPaletteColor(one.getFgColor()) : colors.text;

/** The background of a cell; null for the terminal's own. */
function findGround(one: Cell, colors: Ink): string | null {
  if (one.isInverse()) return findInk(one, colors);
  if (one.isBgRGB()) return `#${one.getBgColor().toString(16).padStart(6, "0")}`;
  return one.isBgPalette() ? findPaletteColor(one.getBgColor()) : null;
}

function describeLook(one: Cell, colors: Ink): string {
  const color = one.isInverse() ? colors.back : findInk(one, colors);
  return `fill="${color}"${one.isBold() ? ' font-weight="bold"' : ""}${one.isUnderline() ? ' text-decoration="underline"' : ""}`;
}

/** Rows with style codes, as they look in a terminal. */
export async function picture(rows: readonly string[], cols: number, ink: Ink): Promise<string> {
  const terminal = new xterm.Terminal({ cols, rows: rows.length, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(rows.join("\r\n"), done));
  const svg = toSvg({ terminal }, ink);
  terminal.dispose();
  return svg;
}
