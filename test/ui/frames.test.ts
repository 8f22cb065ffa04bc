/** The frames of the real screen, drawn by us or by Ink. */

import { expect, test } from "bun:test";
import { emulate } from "./emulator.ts";
import { openScripted } from "./scripted.ts";

const size = { cols: 80, rows: 24 };
const script = { settings: { mouse: true, notifications: false }, items: 40 };

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
