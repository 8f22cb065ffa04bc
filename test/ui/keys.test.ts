import { expect, test } from "bun:test";
import { typed } from "../../src/ui/keys.ts";

const chords = (input: string): string[] => typed(input).map(({ chord }) => chord);

test("text and Enter in one read are separate events", () => {
  expect(chords("hi\r")).toEqual(["h", "i", "enter"]);
  expect(chords("a\r\nb")).toEqual(["a", "enter", "ctrl+j", "b"]);
});

test("a grapheme is one key", () => {
  expect(chords("é👩‍👩‍👧日")).toEqual(["é", "👩‍👩‍👧", "日"]);
});

test("control bytes within text are keys and type nothing", () => {
  expect(typed("a\x03\x7f\t\x13\x1f")).toEqual([
    { type: "key", chord: "a", text: "a" },
    { type: "key", chord: "ctrl+c", text: "" },
    { type: "key", chord: "backspace", text: "" },
    { type: "key", chord: "tab", text: "" },
    { type: "key", chord: "ctrl+s", text: "" },
    { type: "key", chord: "ctrl+_", text: "" },
  ]);
});
