/** Abilities of the terminal, as far as its environment tells them. Pure. */

import type { Environment } from "../../base/environment.ts";
import type { Colors } from "../theme.ts";

type Abilities = {
  colors: Colors;
  /** "signs": letters of any language, but only ASCII signs. */
  characters: "all" | "signs" | "ascii";
  /** Without it, nothing can be drawn twice: lines only. */
  movesCursor: boolean;
  /** The key that tmux or GNU screen around it takes by default. */
  prefix: "ctrl+b" | "ctrl+a" | null;
  /** GNU screen keeps Escape to itself while a program in it uses the mouse. */
  hasMouse: boolean;
};

/** Terminals with more colors than their TERM says, or that say so in another way. */
const manyColors = /256|direct|truecolor|kitty|alacritty|ghostty|foot|wezterm|contour|iterm/i;

export function readAbilities(env: Environment): Abilities {
  const term = env["TERM"] ?? "";
  const hasMany =
    manyColors.test(term) || Boolean(env["COLORTERM"] || env["WT_SESSION"] || env["TERM_PROGRAM"]);
  const isTrue = /direct|truecolor|24bit/i.test(`${term} ${env["COLORTERM"] ?? ""}`);
  return {
    colors: isTrue ? "true" : hasMany ? 256 : 16,
    characters: readCharacters(env, term),
    movesCursor: term !== "dumb",
    prefix: env["TMUX"] !== undefined ? "ctrl+b" : env["STY"] !== undefined ? "ctrl+a" : null,
    hasMouse: env["STY"] === undefined,
  };
}

function readCharacters(env: Environment, term: string): Abilities["characters"] {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const isOld = /^(?:linux|vt\d|ansi|cons)/.test(term);
  // Containers and remote shells often set no locale although the terminal shows everything.
  if (locale === "" ? isOld : !/utf-?8/i.test(locale)) return "ascii";
  return isOld ? "signs" : "all";
}
