/** Walks through a session with everything that a transcript can contain. */

import { expect, test } from "bun:test";
import { past } from "./derived-state.ts";
import { emulate, type Wanted } from "./emulator.ts";
import { openScripted } from "./scripted.ts";

const size = { cols: 80, rows: 24 };
const script = { settings: { mouse: true, notifications: false }, history: past };

/** Keys by name, or text after a quote; and what they lead to. */
type Step = [keys: string[], wanted: Wanted];

const walks: Record<string, Step[]> = {
  "an opened summary, the original of a cleared result, of a result of 50 MB, copies, a pin": [
    [["ctrl+o"], "Enter open"],
    [["c"], "Copied code block 2 of 2"],
    [["c"], "Copied code block 1 of 2"],
    [["k", "k", "enter"], /No longer in view \(1\):\n.*path +harbour\.txt:12/],
    [["enter", "k", "enter"], "The cache is cold."],
    [["enter", "k", "k", "enter"], "keeper 3"],
    [["enter", "k", "enter"], "lines 1-200 of 4,000,000"],
    [["enter", "p"], "Pinned"],
  ],
  "an item restored, then the summary undone": [
    [["ctrl+o", "k", "k", "k", "k", "k", "u"], "3.4k of 180k"],
    [["'\x1b[27u", "'/undo-compact\r"], /undone[^]*undone/i],
  ],
};

test.each(Object.entries(walks))("%s", async (_, steps) => {
  const terminal = await openScripted(script, size);
  for (const [keys, wanted] of steps) {
    for (const key of keys)
      await (key.startsWith("'") ? terminal.type(key.slice(1)) : terminal.press(key));
    await terminal.waitFor(wanted);
  }
});

test.each([
  [40, 12],
  [20, 6],
])("at %d columns and %d rows", async (cols, rows) => {
  const { screen } = await openScripted(script, { cols, rows });
  expect(screen()).toMatchSnapshot();
});

test("a panel opens in one frame, and the transcript moves only once", async () => {
  const terminal = await openScripted(script, size);
  const before = terminal.output().length;
  const end = await terminal.hit("alt+v", "sees now");
  const replay = emulate(size, {
    write: () => {},
    resize: () => {},
    isReading: () => true,
    isClosed: () => false,
  });
  // Each frame ends with the end of a synchronized update.
  const frames = terminal.output().slice(before).split("\x1b[?2026l");
  for (const piece of [terminal.output().slice(0, before), ...frames]) {
    replay.receive(new TextEncoder().encode(piece));
    await replay.settled();
    if (replay.screen().includes("Lens:")) break;
  }
  expect(replay.screen().split("── Lens:")[0]).toBe(end.split("── Lens:")[0] ?? "");
});

test("Ink's own output, where its tree cannot be read, shows the same screen", async () => {
  const screens: string[] = [];
  for (const inkOutput of [false, true]) {
    const terminal = await openScripted({ ...script, inkOutput }, size);
    await terminal.hit("ctrl+x", " by size");
    screens.push(terminal.screen());
    await terminal.close();
  }
  expect(screens[1]).toBe(screens[0] ?? "");
});
