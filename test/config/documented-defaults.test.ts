/** The README's table of settings says what applies when nothing is set. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { editableSettings, showSetting } from "../../src/config/edit-settings.ts";
import { defaultSettings } from "../../src/config/settings.ts";

const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
const table = /^\| setting +\|.*\n.*\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? "";

/** A number, or a value in a code span; other words are not compared. */
const valueOf = (cell: string): string | null =>
  /^`(?!\$)(.*)`$/.exec(cell)?.[1] ?? (/^[\d.]+$/.test(cell) ? cell : null);

const documented = table.split("\n").flatMap((row): [string, string][] => {
  const [, names = "", values = ""] = row.split("|").map((cell) => cell.trim());
  const defaults = values.split(", ").map(valueOf);
  return names.split(", ").flatMap((name, at) => {
    const value = defaults.length === 1 ? defaults[0] : defaults[at];
    return value == null ? [] : [[name.replaceAll("`", ""), value]];
  });
});

test.each(documented)("%s is %s by default", (name, value) => {
  const setting = editableSettings().find((one) => one.id === name || one.name === name);
  expect(setting && showSetting(defaultSettings, setting)).toBe(value);
});

test("most settings have a documented default", () => {
  expect(documented.length).toBeGreaterThan(25);
});
