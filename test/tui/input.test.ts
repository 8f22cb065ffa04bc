/** Keys go to who listens when the screen has caught up with the key before, not to who did. */

import { expect, test } from "bun:test";
import { InputBus } from "../../src/tui/input.tsx";
import type { InputEvent } from "../../src/tui/keys.ts";

const key = (chord: string): InputEvent => ({ type: "key", chord, text: "" });

test("the key after one that opens something goes to what was opened, also in a later read", async () => {
  const bus = new InputBus();
  const heard: string[] = [];
  bus.listen("prompt", (event) => heard.push(`prompt ${event.type}`) > 0);
  bus.listen("global", (event) => {
    if (event.type !== "key" || event.chord !== "ctrl+o") return false;
    // As an effect does it: only when the screen was drawn.
    setImmediate(() => bus.listen("transcript", () => heard.push("transcript") > 0));
    return true;
  });
  bus.emit(key("ctrl+o"));
  bus.emit(key("up"));
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(["transcript"]);
});

test("letters for the prompt are handed out at once", () => {
  const bus = new InputBus();
  const heard: string[] = [];
  bus.listen("prompt", (event) => event.type === "key" && heard.push(event.text) > 0);
  bus.emit(...["a", "b", "c"].map((text): InputEvent => ({ type: "key", chord: text, text })));
  expect(heard).toEqual(["a", "b", "c"]);
});

test("what acts on letters waits until the screen shows them", async () => {
  const bus = new InputBus();
  const heard: string[] = [];
  bus.listen("prompt", (event) => event.type === "key" && heard.push(event.text) > 0);
  bus.listen("popup", (event) => {
    if (event.type !== "key" || event.chord !== "tab") return false;
    return heard.push("tab") > 0;
  });
  bus.emit({ type: "key", chord: "n", text: "n" });
  setImmediate(() => heard.push("drawn"));
  bus.emit(key("tab"));
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(["n", "drawn", "tab"]);
});
