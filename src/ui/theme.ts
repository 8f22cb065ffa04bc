/**
 * Colors by meaning. A theme turns text into text with SGR codes; nothing else on the screen names a
 * color. Without color, weight, underline and inversion carry the meaning.
 */

import type { Environment } from "../base/environment.ts";
import chalk from "chalk";
import type { TextProps } from "ink";

export const themeNames = ["dark", "light", "color-blind", "none"] as const;

export type ThemeName = (typeof themeNames)[number];

/** How many colors the terminal has; "true": 24 bits. */
export type Colors = 16 | 256 | "true";

/** Ink paints with chalk, which knows less about terminals: themes choose the colors of each. */
export function setColorDepth(colors: Colors): void {
  chalk.level = colors === 16 ? 1 : colors === 256 ? 2 : 3;
}

export type Theme = {
  readonly name: ThemeName;
  readonly colors: Colors;
  paint(role: Role, text: string): string;
  props(role: Role): TextStyle;
};

/** The style props of Ink's `<Text>`. */
type TextStyle = Omit<TextProps, "children" | "wrap">;

/**
 * How each role looks without color, on a dark and on a light background: attributes, and colors of
 * the 256: of the text and, after "on", of its background.
 */
const looks = {
  accent: ["bold", "75", "26"],
  user: ["bold", "bold 80", "bold 24"],
  userMessage: ["bold", "bold 80 on 236", "bold 24 on 254"],
  strong: ["bold", "bold", "bold"],
  emphasis: ["italic", "italic", "italic"],
  strike: ["strike", "strike", "strike"],
  dim: ["dim", "246", "241"],
  heading: ["bold under", "bold 75", "bold 26"],
  link: ["under", "under 110", "under 25"],
  code: ["bold", "180", "89"],
  keyword: ["bold", "140", "90"],
  string: ["", "108", "22"],
  comment: ["dim", "246", "241"],
  number: ["", "173", "94"],
  type: ["", "73", "23"],
  property: ["", "110", "25"],
  quote: ["dim", "246", "241"],
  added: ["", "114", "22"],
  removed: ["dim", "174", "124"],
  addedLine: ["", "", ""],
  removedLine: ["", "", ""],
  addedWord: ["under", "bold 157 on 22", "bold 22 on 194"],
  removedWord: ["under", "bold 217 on 52", "bold 124 on 224"],
  good: ["", "114", "22"],
  warning: ["bold", "179", "94"],
  bad: ["bold", "203", "160"],
  boundary: ["bold", "140", "90"],
  badge: ["dim", "139", "96"],
  selected: ["inverse", "inverse", "inverse"],
  match: ["under", "under 222", "under 94"],
  meterSystem: ["", "140", "90"],
  meterUser: ["", "80", "24"],
  meterAnswers: ["", "75", "26"],
  meterResults: ["", "179", "136"],
  meterSummary: ["", "139", "96"],
  meterMiddle: ["", "179", "94"],
  meterHigh: ["bold", "203", "160"],
  meterFree: ["dim", "246", "241"],
} as const satisfies Record<string, readonly [none: string, dark: string, light: string]>;

export type Role = keyof typeof looks;

type RoleStyle = { open: string; close: string; props: TextStyle };

/** Blue and orange instead of green and red; otherwise as on a dark background. */
const colorBlind: Partial<Record<Role, string>> = {
  added: "75",
  removed: "215",
  addedWord: "bold 117 on 17",
  removedWord: "bold 230 on 94",
  good: "75",
  warning: "222",
  bad: "bold 215",
  string: "110",
  meterResults: "222",
  meterMiddle: "222",
  meterHigh: "bold 215",
};

/** SGR codes and props of `<Text>`. */
type StylePiece = readonly [on: number | string, off: number, props: TextStyle];

const attributes: Readonly<Record<string, StylePiece>> = {
  bold: [1, 22, { bold: true }],
  dim: [2, 22, { dimColor: true }],
  italic: [3, 23, { italic: true }],
  under: [4, 24, { underline: true }],
  inverse: [7, 27, { inverse: true }],
  strike: [9, 29, { strikethrough: true }],
};

/**
 * The 16 colors: SGR codes, Ink's names, and the colors of the themes that each is nearest to. Yellow
 * cannot be read on white: roles that are brown in richer palettes use the default color there.
 */
const colors16: readonly (readonly [code: number, name: string, nearest: readonly number[]])[] = [
  [31, "red", [124, 160]],
  [32, "green", [22, 108, 136]],
  [33, "yellow", [173, 180, 215]],
  [34, "blue", [25, 26]],
  [35, "magenta", [89, 90, 96, 139]],
  [36, "cyan", [23, 24, 73]],
  [37, "white", [246]],
  [90, "gray", [241]],
  [91, "redBright", [174, 203, 217]],
  [92, "greenBright", [114, 157]],
  [93, "yellowBright", [179, 222, 230]],
  [94, "blueBright", [75, 110, 117]],
  [95, "magentaBright", [140]],
  [96, "cyanBright", [80]],
];

/** A color of the 256 in as many as the terminal has. */
function readColor(color: string, colors: Colors): StylePiece {
  if (colors !== 16) return [`38;5;${color}`, 39, { color: `ansi256(${color})` }];
  const [code, name] = colors16.find(([, , nearest]) => nearest.includes(Number(color))) ?? [];
  return [String(code ?? 39), 39, name === undefined ? {} : { color: name }];
}

/** With 16 colors, text on most backgrounds would be unreadable; changed words are inverted. */
function readGround(role: Role, color: string | undefined, colors: Colors): readonly StylePiece[] {
  if (color === undefined || (colors === 16 && role === "userMessage")) return [];
  if (colors === 16) return [[7, 27, { inverse: true }]];
  return [[`48;5;${color}`, 49, { backgroundColor: `ansi256(${color})` }]];
}

function makeStyle(role: Role, theme: ThemeName, colors: Colors): RoleStyle {
  const [none, dark, light] = looks[role];
  const onDark = theme === "color-blind" ? (colorBlind[role] ?? dark) : dark;
  const [text = "", ground] = { none, light, dark, "color-blind": onDark }[theme].split(" on ");
  const words = text.split(" ").filter((word) => word !== "");
  const ground24 = colors === "true" ? grounds[theme][role] : undefined;
  const pieces: readonly StylePiece[] = [
    ...words.map((word) => attributes[word] ?? readColor(word, colors)),
    ...readGround(role, ground, colors),
    ...(ground24 === undefined ? [] : [[`48;2;${ground24}`, 49, {}] as const]),
  ];
  const props = Object.assign({}, ...pieces.map(([, , own]) => own));
  if (pieces.length === 0) return { open: "", close: "", props };
  const ends = pieces.map(([, off]) => off).toReversed();
  return {
    open: `\x1b[${pieces.map(([on]) => on).join(";")}m`,
    close: `\x1b[${ends.join(";")}m`,
    props,
  };
}

/** Backgrounds in 24 bits (red;green;blue): none of the 256 is faint enough to read code on. */
const grounds: Record<ThemeName, Partial<Record<Role, string>>> = {
  dark: { addedLine: "20;40;28", removedLine: "50;24;26" },
  light: { addedLine: "232;247;234", removedLine: "253;236;235" },
  "color-blind": { addedLine: "18;34;54", removedLine: "52;34;14" },
  none: {},
};

/** The terminal's answer about its background; null: there is none yet. */
let answeredLight: boolean | null = null;

export function setBackground(isLight: boolean | null): void {
  answeredLight = isLight;
}

/**
 * By its name, or "auto": by the terminal's answer, or by COLORFGBG ("15;0": white on black), which some
 * terminals set.
 */
export function themeFor(setting: string, env: Environment, colors: Colors): Theme {
  const isLight = answeredLight ?? /;(?:7|15)$/.test(env["COLORFGBG"] ?? "");
  return makeTheme(setting === "auto" ? (isLight ? "light" : "dark") : setting, colors);
}

// eslint-disable-next-line no-control-regex -- the ends of colors
const endOfColor = /\x1b\[(?:[34]9(?:;\d+)*|0)m/g;

/** A theme by its name; unknown names are dark. */
export function makeTheme(name: string, colors: Colors = 256): Theme {
  const chosen = themeNames.find((theme) => theme === name) ?? "dark";
  const styles = new Map<Role, RoleStyle>();
  const style = (role: Role): RoleStyle => {
    const known = styles.get(role) ?? makeStyle(role, chosen, colors);
    styles.set(role, known);
    return known;
  };
  return {
    name: chosen,
    colors,
    props: (role) => style(role).props,
    paint(role, text) {
      const { open, close } = style(role);
      if (text === "" || open === "") return text;
      // After a style inside ends, this one continues.
      const inside = text.includes("\x1b") ? text.replace(endOfColor, `$&${open}`) : text;
      return `${open}${inside}${close}`;
    },
  };
}
