/** The screen's signs in ASCII, of the same width, for terminals whose font or encoding lacks them. */

import { graphemes } from "../../base/clip.ts";
import { withoutHyperlinks } from "../markdown/hyperlink.ts";

/** Below each sign is its replacement. */
const [signs, plain] = [
  "─│╭╮╰╯┌┐└┘├┤┬┴┼▏▎▍▋▊▉┊▐▌█▓▒░╎❯●○◉✗▸▾▼•·…→←↑↓−✂↺↩↳⏎⋮☐☑∑“”‘’",
  `-|+++++++++++++|||###:[]#=+.|>*o@x>vv*-~><^v-%<<>/:oxS""''`,
];

const replacements = new Map([...signs].map((sign, index) => [sign, plain[index]]));

const isSpinner = (sign: string): boolean => sign >= "⠀" && sign <= "⣿";

// eslint-disable-next-line no-control-regex -- ASCII, with the codes of styles
const onlyAscii = /^[\x00-\x7f]*$/;

/** "signs": only those become ASCII. "ascii": other characters become question marks. */
export function plainSigns(linked: string, characters: "all" | "signs" | "ascii"): string {
  if (characters === "all") return linked;
  const row = withoutHyperlinks(linked);
  if (onlyAscii.test(row)) return row;
  let out = "";
  for (const { segment } of graphemes(row)) {
    const sign = replacements.get(segment) ?? (isSpinner(segment) ? "*" : undefined);
    if (sign !== undefined) out += sign;
    else if (characters === "signs" || onlyAscii.test(segment)) out += segment;
    else out += "?".repeat(Bun.stringWidth(segment));
  }
  return out;
}
