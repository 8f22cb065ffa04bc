/** Abilities of the terminal, by its environment, and signs for those that lack some. Pure. */

import type { Environment } from "../../base/environment.ts";
import type { Colors } from "../theme.ts";
import { graphemes } from "../../base/clip.ts";
import { withoutHyperlinks } from "../markdown/layout.ts";

type Abilities = {
  colors: Colors;
  /** "signs": letters of any language, but only ASCII symbols. */
  characters: "all" | "signs" | "ascii";
  /** Without it, nothing can be drawn twice: lines only. */
  movesCursor: boolean;
  /** Answers a background query, or ignores it without printing anything. */
  tellsBackground: boolean;
  /** The default prefix key of a surrounding tmux or GNU screen. */
  prefix: "ctrl+b" | "ctrl+a" | null;
  /** Reports the mouse. False for GNU screen, which then keeps Escape to itself. */
  hasMouse: boolean;
};

/** Terminals with more colors than their TERM says, or that say so in another way. */
const manyColors = /256|direct|truecolor|kitty|alacritty|ghostty|foot|wezterm|contour|iterm/i;

export function readAbilities(env: Environment): Abilities {
  const term = env["TERM"] ?? "";
  // GNU screen hands on what the terminal around it can, and cannot do it itself.
  const around = env["STY"] === undefined ? env : {};
  const { COLORTERM = "" } = around;
  const hasMany =
    manyColors.test(term) || Boolean(COLORTERM || around["WT_SESSION"] || around["TERM_PROGRAM"]);
  const isTrue = /direct|truecolor|24bit/i.test(`${term} ${COLORTERM}`);
  return {
    colors: isTrue ? "true" : hasMany ? 256 : 16,
    characters: readCharacters(env, term),
    movesCursor: term !== "dumb",
    tellsBackground: term !== "dumb" && !isOld(term),
    prefix: env["TMUX"] !== undefined ? "ctrl+b" : env["STY"] !== undefined ? "ctrl+a" : null,
    hasMouse: env["STY"] === undefined,
  };
}

const isOld = (term: string): boolean => /^(?:linux|vt\d|ansi|cons)/.test(term);

function readCharacters(env: Environment, term: string): Abilities["characters"] {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  // Containers and remote shells often set no locale although the terminal shows everything.
  if (locale === "" ? isOld(term) : !/utf-?8/i.test(locale)) return "ascii";
  return isOld(term) ? "signs" : "all";
}

/** Below each sign is its replacement. */
const [signs, plain] = [
  "─│╭╮╰╯┌┐└┘├┤┬┴┼▏▎▍▋▊▉┊▐▌█▓▒░╎❯●○◉✗✓▸▾▼•·…→←↑↓−✂↺↻↩↳⏎⋮☐☑∑“”‘’━┃×±¢–—▁▂▃▄▅▆▇␍␡",
  `-|+++++++++++++|||###:[]#=+.|>*o@xv>vv*-~><^v-%<><>/:oxS""''=|x~c--_..--==/x`,
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
