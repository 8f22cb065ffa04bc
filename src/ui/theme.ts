/**
 * Colors by meaning. A theme turns text into text with SGR codes; nothing else on the screen names a
 * color. Without color, weight, underline and inversion carry the meaning.
 */

import type { Environment } from "../base/environment.ts";
import chalk from "chalk";

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
  /** `text` in the style of a role. Resets only what it set, so that styles nest. */
  paint(role: Role, text: string): string;
  /** The same style as props of Ink's `<Text>`. */
  props(role: Role): TextStyle;
};

/** The style props of Ink's `<Text>`. */
export type TextStyle = {
  readonly color?: string;
  readonly backgroundColor?: string;
  readonly bold?: true;
  readonly dimColor?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
  readonly strikethrough?: true;
};

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
  meterResults: ["", "179", "94"],
  meterSummary: ["", "139", "96"],
  meterMiddle: ["", "179", "94"],
  meterHigh: ["bold", "203", "160"],
  meterFree: ["dim", "246", "241"],
} as const satisfies Record<string, readonly [none: string, dark: string, light: string]>;

export type Role = keyof typeof looks;

type Style = { open: string; close: string };

/** Blue and orange instead of green and red; otherwise as on a dark background. */
const colorBlind: Partial<Record<Role, string>> = {
  added: "75",
  removed: "215",
  addedWord: "bold 117 on 17",
  removedWord: "bold 223 on 94",
  good: "75",
  warning: "222",
  bad: "bold 215",
  string: "110",
  meterResults: "222",
  meterMiddle: "222",
  meterHigh: "bold 215",
};

/** How a role looks in a theme. */
function lookOf(role: Role, theme: ThemeName): string {
  const [none, dark, light] = looks[role];
  if (theme === "none") return none;
  if (theme === "light") return light;
  return (theme === "color-blind" ? colorBlind[role] : undefined) ?? dark;
}

/** SGR codes: on, off. */
const attributes: Readonly<Record<string, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  under: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
};

/** The 16 colors, as SGR codes, and those of the themes that each is nearest to. */
const nearest: Readonly<Record<number, readonly number[]>> = {
  31: [124, 160],
  32: [22, 108],
  33: [94, 173, 180, 215],
  34: [25, 26],
  35: [89, 90, 96, 139],
  36: [23, 24, 73],
  37: [246],
  90: [241],
  91: [174, 203, 217],
  92: [114, 157],
  93: [179, 222, 223],
  94: [75, 110, 117],
  95: [140],
  96: [80],
};

/** A color of the 256 in as many as the terminal has. */
function colorCode(color: string, colors: Colors): string {
  if (colors !== 16) return `38;5;${color}`;
  const [near] = Object.entries(nearest).find(([, far]) => far.includes(Number(color))) ?? [];
  return near ?? "39";
}

/** The props of `<Text>` for each attribute. */
const attributeProps: Readonly<Record<string, TextStyle>> = {
  bold: { bold: true },
  dim: { dimColor: true },
  italic: { italic: true },
  under: { underline: true },
  inverse: { inverse: true },
  strike: { strikethrough: true },
};

/** The names that Ink gives to the 16 colors, by their SGR codes. */
const colorNames: Readonly<Record<string, string>> = {
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
  37: "white",
  90: "gray",
  91: "redBright",
  92: "greenBright",
  93: "yellowBright",
  94: "blueBright",
  95: "magentaBright",
  96: "cyanBright",
};

function colorProps(color: string, colors: Colors): TextStyle {
  if (colors !== 16) return { color: `ansi256(${color})` };
  const name = colorNames[colorCode(color, colors)];
  return name === undefined ? {} : { color: name };
}

function propsOf(role: Role, theme: ThemeName, colors: Colors): TextStyle {
  const [text = "", background] = lookOf(role, theme).split(" on ");
  const words = text === "" ? [] : text.split(" ");
  const styles = words.map((word) => attributeProps[word] ?? colorProps(word, colors));
  const ground: TextStyle =
    background === undefined || (colors === 16 && role === "userMessage")
      ? {}
      : colors === 16
        ? { inverse: true }
        : { backgroundColor: `ansi256(${background})` };
  return Object.assign({}, ...styles, ground);
}

/** The codes of a look; its background has codes of its own. */
function styleOf(role: Role, theme: ThemeName, colors: Colors): Style {
  const [text = "", background] = lookOf(role, theme).split(" on ");
  const ground24 = colors === "true" ? grounds[theme][role] : undefined;
  if (ground24 !== undefined) return { open: `\x1b[48;2;${ground24}m`, close: "\x1b[49m" };
  if (text === "") return { open: "", close: "" };
  const codes = text.split(" ").map((word) => attributes[word] ?? [colorCode(word, colors), 39]);
  const ends = codes.map(([, off]) => off).toReversed();
  const open = `\x1b[${codes.map(([on]) => on).join(";")}m`;
  const close = `\x1b[${ends.join(";")}m`;
  // With 16 colors, text on most backgrounds would be unreadable; changed words must still be
  // visible.
  if (background === undefined || (colors === 16 && role === "userMessage")) return { open, close };
  return colors === 16
    ? { open: `${open}\x1b[7m`, close: `\x1b[27m${close}` }
    : { open: `${open}\x1b[48;5;${background}m`, close: `\x1b[49m${close}` };
}

/**
 * Backgrounds in 24 bits (red;green;blue). None of the 256 colors is faint enough to read code on.
 */
const grounds: Record<ThemeName, Partial<Record<Role, string>>> = {
  dark: { addedLine: "20;40;28", removedLine: "50;24;26" },
  light: { addedLine: "232;247;234", removedLine: "253;236;235" },
  "color-blind": { addedLine: "18;34;54", removedLine: "52;34;14" },
  none: {},
};

/**
 * The theme for a setting: a name, or "auto". Some terminals set COLORFGBG ("15;0": white on black); most of the others
 * are dark.
 */
export function themeFor(setting: string, env: Environment, colors: Colors): Theme {
  const isLight = /;(?:7|15)$/.test(env["COLORFGBG"] ?? "");
  return themeOf(setting === "auto" ? (isLight ? "light" : "dark") : setting, colors);
}

// eslint-disable-next-line no-control-regex -- the ends of colors
const endOfColor = /\x1b\[(?:[34]9(?:;\d+)*|0)m/g;

/** A theme by its name; unknown names are dark. */
export function themeOf(name: string, colors: Colors = 256): Theme {
  const chosen = themeNames.find((theme) => theme === name) ?? "dark";
  const styles = new Map<Role, Style>();
  const props = new Map<Role, TextStyle>();
  return {
    name: chosen,
    colors,
    props(role) {
      const known = props.get(role) ?? propsOf(role, chosen, colors);
      props.set(role, known);
      return known;
    },
    paint(role, text) {
      const style = styles.get(role) ?? styleOf(role, chosen, colors);
      styles.set(role, style);
      const { open, close } = style;
      if (text === "" || open === "") return text;
      // After a style inside ends, this one continues.
      const inside = text.includes("\x1b") ? text.replace(endOfColor, `$&${open}`) : text;
      return `${open}${inside}${close}`;
    },
  };
}
