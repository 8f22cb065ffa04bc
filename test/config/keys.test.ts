import { expect, test } from "bun:test";
import { actions, buildKeyMap, keyActions, parseChord, showChord } from "../../src/config/keys.ts";

test.each([
  ["ctrl-s", "ctrl+s"],
  ["Ctrl+S", "ctrl+s"],
  ["C-s", "ctrl+s"],
  ["alt-Return", "alt+enter"],
  ["meta-shift-up", "alt+shift+up"],
  ["shift-alt-ctrl-x", "ctrl+alt+shift+x"],
  ["PgUp", "pageup"],
  ["esc", "escape"],
  ["F12", "f12"],
  ["ctrl--", "ctrl+-"],
  ["ctrl-+", "ctrl++"],
  ["-", "-"],
  ["A", "A"],
  ["shift-a", "A"],
  ["ctrl-space", "ctrl+space"],
  ["ctrl-é", "ctrl+é"],
  ["", null],
  ["ctrl", null],
  ["ctrl-", null],
  ["hyper-x", null],
  ["constructor-x", null],
  ["f13", null],
  ["two words", null],
])("%p is the chord %p", (text, chord) => {
  expect(parseChord(text)).toBe(chord);
});

test("a chord that a surrounding program takes is named last", () => {
  expect(buildKeyMap({}).keys.describeKey("background")).toBe("Ctrl-B");
  const { keys } = buildKeyMap({}, "ctrl+b");
  expect(keys.describeKey("background")).toBe("F4");
  expect(keys.listChords("background")).toEqual(["f4", "ctrl+b"]);
  expect(buildKeyMap({ lens: [] }).keys.describeKey("lens")).toBe("");
});

test("the default chords are valid, and no two actions share one", () => {
  const { keys, problems } = buildKeyMap({});
  expect(problems).toEqual([]);
  for (const action of keyActions) {
    expect(keys.listChords(action)).toEqual(actions[action].chords);
    for (const chord of actions[action].chords) {
      expect(parseChord(chord)).toBe(chord);
      expect(keys.findAction(chord)).toBe(action);
    }
  }
  expect(keys.findAction("ctrl+s")).toBe("compact");
  expect(keys.findAction("ctrl+g")).toBe("editor");
});

test("the user's chords replace the defaults, even those of another action", () => {
  const { keys, problems } = buildKeyMap({ compact: ["F5", "ctrl-t"] });
  expect(problems).toEqual([]);
  expect(keys.listChords("compact")).toEqual(["f5", "ctrl+t"]);
  expect(keys.findAction("ctrl+s")).toBeUndefined();
  expect(keys.findAction("ctrl+t")).toBe("compact");
  expect(keys.listChords("context")).toEqual([]);
});

test("mistakes are reported in sentences", () => {
  const { keys, problems } = buildKeyMap({
    compact: ["f5"],
    lens: ["f5", "hyper-x"],
    toString: ["f6"],
    exit: [],
  });
  expect(problems).toEqual([
    "“hyper-x”, set for lens, is not a key; it must look like ctrl-s, alt-enter, f2 or pageup.",
    "unknown action “toString”; /help lists them.",
    "“f5” is set for both compact and lens; compact keeps it.",
    "“exit” (clear or stop; twice to quit) has no key.",
  ]);
  expect(keys.findAction("f5")).toBe("compact");
});

test("keys are shown as they are printed on a keyboard", () => {
  expect(showChord("ctrl+alt+k")).toBe("Ctrl-Alt-K");
  expect(showChord("pageup")).toBe("PgUp");
  expect(showChord("ctrl++")).toBe("Ctrl-+");
});

/** Some terminals have no Alt key, and tmux and screen take Ctrl-B and Ctrl-A. */
test.each([
  ["Alt", /^alt\+/],
  ["the prefix of tmux", /^ctrl\+b$/],
  ["the prefix of screen", /^ctrl\+a$/],
])("every action has a key without %s", (_, taken) => {
  const without = keyActions.filter((name) => actions[name].chords.every((one) => taken.test(one)));
  expect(without).toEqual([]);
});
