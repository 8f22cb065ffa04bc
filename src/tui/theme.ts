/**
 * Colors by meaning. A theme turns text into text with SGR codes; nothing else on the screen names a
 * color. Without color, weight, underline and inversion carry the meaning.
 */

import { inFewColors } from "./few-colors.ts";

export const themeNames = ["dark", "light", "color-blind", "none"] as const;

export type ThemeName = (typeof themeNames)[number];

export type Role =
  | "accent"
  | "user"
  | "userMessage"
  | "strong"
  | "emphasis"
  | "strike"
  | "dim"
  | "heading"
  | "link"
  | "code"
  | "keyword"
  | "string"
  | "comment"
  | "number"
  | "type"
  | "property"
  | "quote"
  | "added"
  | "removed"
  | "addedLine"
  | "removedLine"
  | "addedWord"
  | "removedWord"
  | "good"
  | "warning"
  | "bad"
  | "boundary"
  | "badge"
  | "selected"
  | "match"
  | "currentMatch"
  | "meterSystem"
  | "meterUser"
  | "meterAnswers"
  | "meterResults"
  | "meterSummary"
  | "meterMiddle"
  | "meterHigh"
  | "meterFree";

/** How many colors the terminal has; "true": 24 bits. */
export type Colors = 16 | 256 | "true";

export type Theme = {
  readonly name: ThemeName;
  readonly colors: Colors;
  /** `text` in the style of a role. Resets only what it set, so that styles nest. */
  paint(role: Role, text: string): string;
};

type Style = { open: string; close: string };

/** SGR codes: on, off. */
const attributes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  under: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
} as const;

/** A style of attributes and a foreground color of the 256. */
function style(...parts: readonly (keyof typeof attributes | number)[]): Style {
  const open = parts.map((part) =>
    typeof part === "number" ? `38;5;${part}` : attributes[part][0],
  );
  const close = parts.map((part) => (typeof part === "number" ? 39 : attributes[part][1]));
  return { open: `\x1b[${open.join(";")}m`, close: `\x1b[${close.reverse().join(";")}m` };
}

/** A style on a background of the 256 colors. */
const on = (ground: number, { open, close }: Style): Style => ({
  open: `${open}\x1b[48;5;${ground}m`,
  close: `\x1b[49m${close}`,
});

const plain: Record<Role, Style> = {
  accent: style("bold"),
  user: style("bold"),
  userMessage: style("bold"),
  strong: style("bold"),
  emphasis: style("italic"),
  strike: style("strike"),
  dim: style("dim"),
  heading: style("bold", "under"),
  link: style("under"),
  code: style("bold"),
  keyword: style("bold"),
  string: { open: "", close: "" },
  comment: style("dim"),
  number: { open: "", close: "" },
  type: { open: "", close: "" },
  property: { open: "", close: "" },
  quote: style("dim"),
  added: { open: "", close: "" },
  removed: style("dim"),
  addedLine: { open: "", close: "" },
  removedLine: { open: "", close: "" },
  addedWord: style("under"),
  removedWord: style("under"),
  good: { open: "", close: "" },
  warning: style("bold"),
  bad: style("bold"),
  boundary: style("bold"),
  badge: style("dim"),
  selected: style("inverse"),
  match: style("under"),
  currentMatch: style("inverse"),
  meterSystem: { open: "", close: "" },
  meterUser: { open: "", close: "" },
  meterAnswers: { open: "", close: "" },
  meterResults: { open: "", close: "" },
  meterSummary: { open: "", close: "" },
  meterMiddle: { open: "", close: "" },
  meterHigh: style("bold"),
  meterFree: style("dim"),
};

const dark: Record<Role, Style> = {
  ...plain,
  accent: style(75),
  dim: style(246),
  user: style("bold", 80),
  userMessage: on(236, style("bold", 80)),
  heading: style("bold", 75),
  link: style("under", 110),
  code: style(180),
  keyword: style(140),
  string: style(108),
  comment: style(246),
  number: style(173),
  type: style(73),
  property: style(110),
  quote: style(246),
  added: style(114),
  removed: style(174),
  addedWord: on(22, style("bold", 157)),
  removedWord: on(52, style("bold", 217)),
  good: style(114),
  warning: style(179),
  bad: style(203),
  boundary: style(140),
  badge: style(139),
  match: style("under", 222),
  meterSystem: style(140),
  meterUser: style(80),
  meterAnswers: style(75),
  meterResults: style(179),
  meterSummary: style(139),
  meterMiddle: style(179),
  meterHigh: style(203),
  meterFree: style(246),
};

const light: Record<Role, Style> = {
  ...dark,
  accent: style(26),
  dim: style(241),
  user: style("bold", 24),
  userMessage: on(254, style("bold", 24)),
  heading: style("bold", 26),
  link: style("under", 25),
  code: style(89),
  keyword: style(90),
  string: style(22),
  comment: style(241),
  number: style(94),
  type: style(23),
  property: style(25),
  quote: style(241),
  added: style(22),
  removed: style(124),
  addedWord: on(194, style("bold", 22)),
  removedWord: on(224, style("bold", 124)),
  good: style(22),
  warning: style(94),
  bad: style(160),
  boundary: style(90),
  badge: style(96),
  match: style("under", 94),
  meterSystem: style(90),
  meterUser: style(24),
  meterAnswers: style(26),
  meterResults: style(94),
  meterSummary: style(96),
  meterMiddle: style(94),
  meterHigh: style(160),
  meterFree: style(241),
};

/** Blue and orange instead of green and red. */
const colorBlind: Record<Role, Style> = {
  ...dark,
  added: style(75),
  removed: style(215),
  addedWord: on(17, style("bold", 117)),
  removedWord: on(94, style("bold", 223)),
  good: style(75),
  warning: style(222),
  bad: style("bold", 215),
  string: style(110),
  meterResults: style(222),
  meterMiddle: style(222),
  meterHigh: style("bold", 215),
};

/** Grounds in 24 bits (red;green;blue). Of the 256 colors, none is faint enough to read code on. */
const grounds: Record<ThemeName, Partial<Record<Role, string>>> = {
  dark: { addedLine: "20;40;28", removedLine: "50;24;26" },
  light: { addedLine: "232;247;234", removedLine: "253;236;235" },
  "color-blind": { addedLine: "18;34;54", removedLine: "52;34;14" },
  none: {},
};

const styles: Record<ThemeName, Record<Role, Style>> = {
  dark,
  light,
  "color-blind": colorBlind,
  none: plain,
};

/**
 * The theme for "auto". Some terminals set COLORFGBG ("15;0": white on black); most of the others
 * are dark.
 */
export const guessTheme = (colorFgBg: string | undefined): ThemeName =>
  /;(?:7|15)$/.test(colorFgBg ?? "") ? "light" : "dark";

// eslint-disable-next-line no-control-regex -- the ends of colors
const endOfColor = /\x1b\[(?:[34]9(?:;\d+)*|0)m/g;

/** A theme by its name; unknown names are dark. */
export function themeOf(name: string, colors: Colors = 256): Theme {
  const chosen = themeNames.find((theme) => theme === name) ?? "dark";
  const few = new Map<Role, Style>();
  const styleOf = (role: Role): Style => {
    const ground24 = colors === "true" ? grounds[chosen][role] : undefined;
    if (ground24 !== undefined) return { open: `\x1b[48;2;${ground24}m`, close: "\x1b[49m" };
    if (colors !== 16) return styles[chosen][role];
    const ground = role === "userMessage" ? "plain" : "inverted";
    const known = few.get(role) ?? inFewColors(styles[chosen][role], ground);
    few.set(role, known);
    return known;
  };
  return {
    name: chosen,
    colors,
    paint(role, text) {
      const { open, close } = styleOf(role);
      if (text === "" || open === "") return text;
      // After a style inside ends, this one continues.
      const inside = text.includes("\x1b") ? text.replace(endOfColor, `$&${open}`) : text;
      return `${open}${inside}${close}`;
    },
  };
}
