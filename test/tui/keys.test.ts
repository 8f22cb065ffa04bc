import { expect, test } from "bun:test";
import type { Key } from "ink";
import { parseKeys, typed } from "../../src/tui/keys.ts";
import { splitMouse } from "../../src/tui/terminal/mouse.ts";

const none: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

const chords = (input: string, key: Partial<Key> = {}): string[] =>
  parseKeys(input, { ...none, ...key }).map(({ chord }) => chord);

test("text and Enter in one read are two things", () => {
  expect(chords("hi\r")).toEqual(["h", "i", "enter"]);
  expect(chords("a\r\nb")).toEqual(["a", "enter", "ctrl+j", "b"]);
});

test("what a person sees as one letter is one key", () => {
  expect(chords("é👩‍👩‍👧日")).toEqual(["é", "👩‍👩‍👧", "日"]);
});

test("control bytes in a run of text are keys, and type nothing", () => {
  expect(typed("a\x03\x7f\t\x13")).toEqual([
    { type: "key", chord: "a", text: "a" },
    { type: "key", chord: "ctrl+c", text: "" },
    { type: "key", chord: "backspace", text: "" },
    { type: "key", chord: "tab", text: "" },
    { type: "key", chord: "ctrl+s", text: "" },
  ]);
});

test("modifiers are part of the chord", () => {
  expect(chords("s", { ctrl: true })).toEqual(["ctrl+s"]);
  expect(chords("b", { meta: true })).toEqual(["alt+b"]);
  expect(chords("", { tab: true, shift: true })).toEqual(["shift+tab"]);
  expect(chords("", { upArrow: true, meta: true })).toEqual(["alt+up"]);
  expect(chords("\r", { return: true, meta: true })).toEqual(["alt+enter"]);
  expect(chords("", { home: true, ctrl: true })).toEqual(["ctrl+home"]);
  expect(chords("A", { shift: true })).toEqual(["A"]);
});

test("Escape is Escape, though Ink calls it meta too", () => {
  expect(chords("", { escape: true, meta: true })).toEqual(["escape"]);
});

test("the release of a key is no key", () => {
  expect(chords("a", { eventType: "release" })).toEqual([]);
});

test("mouse reports are taken out of what was typed", () => {
  const { events, keys, rest } = splitMouse(
    "a\x1b[<64;10;5Mb\x1b[<65;10;5Mc\x1b[<0;3;4M\x1b[<0;3;4m",
  );
  expect(keys).toBe("abc");
  expect(rest).toBe("");
  expect(events).toEqual([
    { type: "mouse", action: "wheelUp", column: 9, row: 4 },
    { type: "mouse", action: "wheelDown", column: 9, row: 4 },
    { type: "mouse", action: "press", column: 2, row: 3 },
    { type: "mouse", action: "release", column: 2, row: 3 },
  ]);
});

test("a report torn anywhere is put together again", () => {
  const bytes = "x\x1b[<64;100;50My";
  for (let cut = 1; cut < bytes.length; cut++) {
    const first = splitMouse(bytes.slice(0, cut));
    const second = splitMouse(first.rest + bytes.slice(cut));
    const keys = first.keys + second.keys;
    // A lone escape, or "escape [", may be a key of its own and is not held back.
    if (cut === 2 || cut === 3) continue;
    expect(keys).toBe("xy");
    expect([...first.events, ...second.events]).toHaveLength(1);
  }
});
