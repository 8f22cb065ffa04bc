/** Every color of every theme is readable on its background, and nothing is shown by color alone. */

import { afterEach, expect, test } from "bun:test";
import { setBackground, themeFor, themeNames, makeTheme, type Role } from "../../src/ui/theme.ts";

const roles = [
  "accent",
  "user",
  "userMessage",
  "strong",
  "emphasis",
  "strike",
  "dim",
  "heading",
  "link",
  "code",
  "keyword",
  "string",
  "comment",
  "number",
  "type",
  "property",
  "quote",
  "added",
  "removed",
  "addedWord",
  "removedWord",
  "good",
  "warning",
  "bad",
  "boundary",
  "badge",
  "selected",
  "match",
  "meterAnswers",
  "meterMiddle",
  "meterHigh",
  "meterFree",
] as const satisfies Role[];

type Rgb = readonly [number, number, number];

/** The 256-color palette, which is the same in every terminal from color 16 on. */
function toRgb(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const at = index - 16;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)];
}

function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

// eslint-disable-next-line no-control-regex -- the codes that a theme writes
const readCodes = (text: string): string => /^\x1b\[([\d;]*)m/.exec(text)?.[1] ?? "";

const gray = (level: number): Rgb => [level, level, level];
const dark = [gray(0), gray(30)];
const grounds = {
  dark,
  "color-blind": dark,
  light: [gray(255), [250, 250, 245] as const],
  none: [],
};

/** The background that these codes set. */
function groundIn(codes: string): Rgb | undefined {
  const [, index] = /48;5;(\d+)/.exec(codes) ?? [];
  const [, r, g, b] = /48;2;(\d+);(\d+);(\d+)/.exec(codes) ?? [];
  if (index !== undefined) return toRgb(Number(index));
  return r === undefined ? undefined : [Number(r), Number(g), Number(b)];
}

const code: readonly Role[] = ["keyword", "string", "comment", "number", "type", "property"];

test.each(themeNames)("%s: every color has a contrast of at least 4.5 to its ground", (name) => {
  const theme = makeTheme(name, "true");
  const codesOf = (role: Role): string => readCodes(theme.paint(role, "x"));
  const lines = ([codesOf("addedLine"), codesOf("removedLine")] as const).map(groundIn);
  expect(lines.includes(undefined)).toBe(name === "none");
  const weak: string[] = [];
  for (const role of roles) {
    const codes = codesOf(role);
    // Reverse video swaps the terminal's own colors.
    const [, color] = /38;5;(\d+)/.exec(codes) ?? [];
    // Terminals differ in how faint "faint" is.
    if (name !== "none" && /^(?:2|.*;2)$/.test(codes) && !color) weak.push(`${role}: faint`);
    if (color === undefined) continue;
    expect(Number(color)).toBeGreaterThanOrEqual(16);
    const own = groundIn(codes);
    for (const ground of [
      ...(own ? [own] : grounds[name]),
      ...(code.includes(role) ? lines : []),
    ]) {
      const ratio = ground ? contrast(toRgb(Number(color)), ground) : 0;
      if (ratio < 4.5) weak.push(`${role}: ${ratio.toFixed(2)}`);
    }
  }
  expect(weak).toEqual([]);
  expect(codesOf("userMessage").includes("48;5;")).toBe(name !== "none");
});

test("the theme without color contains no colors", () => {
  for (const theme of [makeTheme("none"), makeTheme("none", 16)]) {
    for (const role of roles) expect(theme.paint(role, "x")).not.toMatch(/[34]8;5;/);
  }
});

/** What is brown with more colors: yellow cannot be read on white. */
const brown = ["number", "warning", "match", "meterMiddle"];

test.each(themeNames)("%s: with 16 colors, each role has a near one of them", (name) => {
  const own: Role[] = [];
  for (const role of [...roles, "meterSystem", "meterResults"] as const) {
    const painted = makeTheme(name, 16).paint(role, "x");
    expect(painted).not.toContain("8;5;");
    expect(Bun.stripANSI(painted)).toBe("x");
    if (readCodes(painted).split(";").includes("39")) own.push(role);
  }
  expect(own.map(String)).toEqual(name === "light" ? brown : []);
});

/** Simulates the absence of one type of cone (Viénot 1999), in linear light. */
const lacking = {
  red: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  green: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
} as const;

test("color-blind: added and removed, good and bad can be distinguished", () => {
  const theme = makeTheme("color-blind");
  const color = (role: Role): Rgb => toRgb(Number(/38;5;(\d+)/.exec(theme.paint(role, "x"))?.[1]));
  for (const matrix of Object.values(lacking)) {
    const seen = (rgb: Rgb): number[] =>
      matrix.map((row: readonly number[]) =>
        row.reduce((sum, weight, index) => sum + weight * ((rgb[index] ?? 0) / 255) ** 2.2, 0),
      );
    for (const [one, other] of [
      ["added", "removed"],
      ["good", "bad"],
      ["meterAnswers", "meterHigh"],
    ] as const) {
      const first = seen(color(one));
      const second = seen(color(other));
      const distance = Math.hypot(...first.map((value, index) => value - (second[index] ?? 0)));
      expect(distance).toBeGreaterThan(0.4);
    }
  }
});

afterEach(() => setBackground(null));

test("every theme has a name, and the background is the terminal's answer, or a guess", () => {
  expect(themeNames.map((name) => makeTheme(name).name)).toEqual([...themeNames]);
  const auto = (COLORFGBG?: string) => themeFor("auto", { COLORFGBG }, 256).name;
  setBackground(null);
  expect([auto("0;15"), auto("15;0"), auto()]).toEqual(["light", "dark", "dark"]);
  setBackground(true);
  expect([auto("15;0"), auto()]).toEqual(["light", "light"]);
  expect(themeFor("none", { COLORFGBG: "0;15" }, 256).name).toBe("none");
});

test("an outer style continues after an inner one ends", () => {
  const { paint } = makeTheme("dark");
  const open = paint("dim", "x").split("x")[0] ?? "";
  expect(paint("dim", `a ${paint("code", "b")} c`)).toContain(`${open} c`);
});
