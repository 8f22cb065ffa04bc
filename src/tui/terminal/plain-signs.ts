/** The screen's signs in ASCII, of the same width, for terminals whose font or encoding lacks them. */

import { graphemes } from "../../protocol/graphemes.ts";
import { withoutHyperlinks } from "../markdown/hyperlink.ts";

const signs: Readonly<Record<string, string>> = {
  "─": "-",
  "│": "|",
  "╭": "+",
  "╮": "+",
  "╰": "+",
  "╯": "+",
  "┌": "+",
  "┐": "+",
  "└": "+",
  "┘": "+",
  "├": "+",
  "┤": "+",
  "┬": "+",
  "┴": "+",
  "┼": "+",
  "▏": "|",
  "▐": "[",
  "▌": "]",
  "█": "#",
  "▓": "=",
  "▒": "+",
  "░": ".",
  "╎": "|",
  "❯": ">",
  "●": "*",
  "○": "o",
  "◉": "@",
  "✗": "x",
  "▸": ">",
  "▾": "v",
  "▼": "v",
  "•": "*",
  "·": "-",
  "…": "~",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "−": "-",
  "✂": "%",
  "↺": "<",
  "↩": "<",
  "↳": ">",
  "⏎": "/",
  "⋮": ":",
  "☐": "o",
  "☑": "x",
  "∑": "S",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
};

const isSpinner = (sign: string): boolean => sign >= "⠀" && sign <= "⣿";

// eslint-disable-next-line no-control-regex -- ASCII, with the codes of styles
const onlyAscii = /^[\x00-\x7f]*$/;

/** "ascii": other characters become question marks. */
export function plainSigns(linked: string, characters: "signs" | "ascii"): string {
  const row = withoutHyperlinks(linked);
  if (onlyAscii.test(row)) return row;
  let out = "";
  for (const { segment } of graphemes(row)) {
    const sign = signs[segment] ?? (isSpinner(segment) ? "*" : undefined);
    if (sign !== undefined) out += sign;
    else if (characters === "signs" || onlyAscii.test(segment)) out += segment;
    else out += "?".repeat(Bun.stringWidth(segment));
  }
  return out;
}
