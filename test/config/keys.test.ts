import { expect, test } from "bun:test";
import { loadSettings } from "../../src/config/settings.ts";
import { Builder } from "../context/build.ts";
import { stage } from "../ui/stage.ts";
import { shownKeys } from "./shown-keys.ts";

const lens = "lens: what the model sees at any call";
const compact = "compact: preview, then decide";
const background = "move to the background, or list tasks";

/** What a settings file with these keys is told. */
const complaints = (keys: Record<string, string[]>) =>
  loadSettings({ env: { MINI_CLAUDE_KEYS: JSON.stringify(keys) }, file: null, flags: [] }).problems;

test.each([
  ["ctrl-s", "Ctrl-S"],
  [" C-s ", "Ctrl-S"],
  ["alt-Return", "Alt-Enter"],
  ["shift-alt-ctrl-x", "Ctrl-Alt-Shift-X"],
  ["PgUp", "PgUp"],
  ["esc", "Esc"],
  ["ctrl--", "Ctrl--"],
  ["ctrl-+", "Ctrl-+"],
  ["-", "-"],
  ["shift-a", "A"],
  ["cmd-space", "Super-Space"],
  ["ctrl-é", "Ctrl-É"],
])("%p is the chord %p", (text, chord) => {
  expect(shownKeys({ lens: [text] }).get(lens)).toEqual([chord]);
});

test.each(["", "ctrl", "ctrl-", "hyper-x", "constructor-x", "f13", "two words"])(
  "%p is no chord",
  (text) => {
    expect(complaints({ lens: [text] })).toEqual([
      `MINI_CLAUDE_KEYS: “${text}”, set for lens, is not a key; it must look like ctrl-s, alt-enter, f2 or pageup.`,
    ]);
    expect(shownKeys({ lens: [text] }).get(lens)).toEqual([]);
  },
);

test("no two actions share a default, and each has one where Alt, Ctrl-A or Ctrl-B is taken", () => {
  const all = [...shownKeys().values()];
  expect(all.length).toBeGreaterThan(30);
  expect(new Set(all.flat()).size).toBe(all.flat().length);
  for (const taken of [/^Alt/, /^Ctrl-B$/, /^Ctrl-A$/])
    expect(all.filter((chords) => chords.every((chord) => taken.test(chord)))).toEqual([]);
});

test("a chord that a surrounding program takes is named last", () => {
  expect(shownKeys().get(background)).toEqual(["Ctrl-B", "F4"]);
  expect(shownKeys({}, "ctrl+b").get(background)).toEqual(["F4", "Ctrl-B"]);
});

test("the user's chords replace the defaults, even those of another action", async () => {
  const own = { compact: ["F5", "ctrl-t"] };
  expect(complaints(own)).toEqual([]);
  const shown = shownKeys(own);
  expect(shown.get(compact)).toEqual(["F5", "Ctrl-T"]);
  expect(shown.get("what fills the context")).toEqual([]);
  const on = stage(new Builder(), { settings: { keys: { context: ["f5", "ctrl-x"] } } });
  const opened = async (key: string) => {
    await on.press(key);
    const { panel } = on.store.state;
    await on.press("<escape>");
    return panel?.kind;
  };
  expect(await opened("<f5>")).toBe("map");
  expect(await opened("<ctrl+x>")).toBe("map");
  expect(await opened("<ctrl+t>")).toBeUndefined();
});

test("mistakes are reported in sentences", () => {
  const own = { compact: ["f5"], lens: ["f5", "f6"], toString: ["f6"], exit: [] };
  expect(complaints(own)).toEqual([
    "MINI_CLAUDE_KEYS: unknown action “toString”; /help lists them.",
    "MINI_CLAUDE_KEYS: “f5” is set for both compact and lens; compact keeps it.",
    "MINI_CLAUDE_KEYS: “exit” (clear or stop; twice to quit) has no key.",
  ]);
  const shown = shownKeys(own);
  expect([shown.get(compact), shown.get(lens)]).toEqual([["F5"], ["F6"]]);
});
