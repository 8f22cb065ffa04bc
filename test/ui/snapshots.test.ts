/** Every interaction with the context on a real terminal, with text snapshots of the screen. */

import xterm from "@xterm/headless";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { past } from "./derived-state.ts";
import type { MemoryTerminal as Pty } from "./memory.ts";
import { openScripted } from "./scripted.ts";

const open = (script: object = {}, size = { cols: 80, rows: 24 }): Promise<Pty> =>
  openScripted(
    { settings: { mouse: true, notifications: false }, history: past, nowMs, ...script },
    size,
  );

/** The screen's clock is stopped, so that no message disappears and no age changes. */
const nowMs = Date.UTC(2026, 10, 21);

type Wanted = string | RegExp | ((screen: string) => boolean);

/** The stored snapshots, by test and step. */
const kept: Record<string, string> = {};
const keptFile = Bun.file(join(import.meta.dir, "__snapshots__", "snapshots.test.ts.snap"));
if (await keptFile.exists()) new Function("exports", await keptFile.text())(kept);

/** The number of lines of the help, which changes with every new command. */
const helpLines = /(── Help ─ \d+-\d+ of )\d+/;

/** How often the screen is compared with its snapshot. */
const looks = 80;

/**
 * The screen, once it contains `wanted` and equals the snapshot of this step, which may take a
 * while on a busy machine; otherwise the last screen.
 */
async function settled(pty: Pty, wanted: Wanted, step = "(none)"): Promise<string> {
  await pty.waitFor(wanted);
  const shown = (): string => pty.screen().replace(helpLines, "$1…");
  const wantedScreens = Object.entries(kept).flatMap(([name, screen]) =>
    name.endsWith(`: ${step} 1`) ? [screen.slice(2, -2)] : [],
  );
  for (let look = 0; look < looks && wantedScreens.length > 0; look++) {
    const now = shown();
    if (wantedScreens.includes(now)) return now;
    await Bun.sleep(40);
  }
  for (let before = ""; before !== shown();) {
    before = shown();
    await Bun.sleep(50);
  }
  return shown();
}

/** Steps: keys by name, or text after a quote. */
type Step = [name: string, keys: string[], wanted: Wanted];

const sequences: Record<string, string> = {
  // In the kitty protocol: a lone Escape right before another key would mean Alt.
  escape: "\x1b[27u",
  "alt+pageup": "\x1b[5;3~",
  f1: "\x1bOP",
};

/** Takes a snapshot after each step. */
async function walk(pty: Pty, steps: readonly Step[]): Promise<void> {
  for (const [name, keys, wanted] of steps) {
    for (const key of keys) {
      const text = key.startsWith("'") ? key.slice(1) : sequences[key];
      await (text === undefined ? pty.press(key) : pty.type(text));
    }
    expect(await settled(pty, wanted, name)).toMatchSnapshot(name);
  }
}

const without =
  (text: string): Wanted =>
  (screen) =>
    !screen.includes(text);

test("reading: pages, jumps, search, and the notice of new items below", async () => {
  await walk(await open({}, { cols: 80, rows: 14 }), [
    ["the end of a session", [], "Two ways:"],
    ["a page up", ["pageup"], "more below"],
    ["the top", ["ctrl+home"], "Where is the harbour?"],
    ["the next message of mine", ["alt+down"], /^\n {2}❯ And the/],
    ["the end again", ["ctrl+end"], "Two ways:"],
    ["the boundary before", ["alt+pageup"], /^\n? {2}── ▸/],
    ["a search that finds what is folded", ["ctrl+f", "'KEEPER 19", "enter"], "keeper 199"],
    ["an older match", ["n"], "keeper 198"],
    ["back at the prompt", ["escape"], without("n previous")],
  ]);
});

test("the notice of new items while scrolled up", async () => {
  const pty = await open();
  await pty.hit("pageup", "more below");
  await pty.type("say one more\r");
  // Sending scrolls to the end; after scrolling up again, the view stays during the answer.
  await pty.waitFor("one more");
  // It goes on until it is stopped, so that some of it is new however late the keys arrive.
  await pty.send("pour", "w21 ");
  await pty.press("pageup", "pageup");
  await pty.waitFor("▼ new below");
  await walk(pty, [
    ["new below", ["escape"], (now) => now.includes("▼ new below") && now.includes("❯ Ask")],
  ]);
});

test("the focused transcript: originals, a summary with its losses, cleared results, copies", async () => {
  await walk(await open(), [
    ["the last answer is chosen", ["ctrl+o"], "Enter open"],
    ["its last code block is copied", ["c"], "Copied code block 2 of 2"],
    ["and the one before", ["c"], "Copied code block 1 of 2"],
    ["a summary opened", ["k", "k", "enter"], "No longer in view (1):"],
    ["what was cleared", ["enter", "k", "enter"], "The cache is cold."],
    ["the original of what was cleared", ["enter", "k", "k", "enter"], "keeper 3"],
    ["50 MB, the first page", ["enter", "k", "enter"], "lines 1-200 of 4,000,000"],
    ["its last page", ["}"], "-4,000,000 of 4,000,000"],
    ["a pin", ["enter", "p"], "Pinned"],
  ]);
});

test("one item restored, then the full summary undone", async () => {
  await walk(await open(), [
    ["a single item comes back", ["ctrl+o", "k", "k", "k", "k", "k", "u"], "3.4k of 180k"],
    ["the summary is undone", ["escape", "'/undo-compact\r"], /undone[^]*undone/i],
  ]);
});

test("the lens and its slider", async () => {
  await walk(await open(), [
    ["now", ["alt+v"], "sees now"],
    ["the last call", ["left"], "call 6 of 6"],
    ["the call before a summary", ["left"], "call 5 of 6"],
    ["the first call", ["left", "left", "left", "left"], "call 1 of 6"],
    ["everything again", ["alt+v"], without("Lens:")],
  ]);
});

test("the inspector", async () => {
  await walk(await open(), [
    ["by size", ["ctrl+x"], " by size"],
    ["by age", ["o"], "by age"],
    ["two are chosen", ["space", "space"], "2 selected"],
    ["filtered", ["/", "'keeper", "enter"], "Filter: keeper"],
  ]);
});

test("what fills the context, and a compaction before it happens", async () => {
  await walk(await open({}, { cols: 80, rows: 40 }), [
    ["what fills the context", ["ctrl+t"], "By tool"],
    ["its end", ["end"], "Largest items"],
    ["a compaction before it happens", ["escape", "ctrl+s"], "Summarize"],
    ["left as it was", ["escape"], without("Summarize")],
  ]);
});

test("the prompt's popups, a question, the help", async () => {
  await walk(await open(), [
    ["commands", ["'/co"], "preview a compaction"],
    ["the help", ["escape", "ctrl+u", "f1"], "── Help"],
    ["a question", ["escape", "'ask rm -rf build\r"], "Allow once (y)"],
  ]);
});

test.each([
  [60, 16],
  [40, 12],
  [20, 6],
])("at %d columns and %d rows, without color", async (cols, rows) => {
  const pty = await open({ settings: { theme: "no-color" } }, { cols, rows });
  await walk(pty, [[`at ${cols} columns`, [], "❯ Ask"]]);
});

test("the top line stays in place on a narrower screen", async () => {
  const pty = await open();
  await pty.hit("ctrl+home", "more below");
  pty.resize(50, 24);
  await walk(pty, [["at the top, narrower", [], /^ *\n *❯ Where/]]);
});

test("a panel opens in one frame, and the transcript moves only once", async () => {
  const pty = await open();
  await settled(pty, "❯ Ask");
  const before = pty.output().length;
  await pty.press("alt+v");
  const end = await settled(pty, "sees now");
  // Each frame ends with the end of a synchronized update.
  const ends = "\x1b[?2026l";
  const frames = pty.output().slice(before).split(ends);
  const screens = await replayed(pty.output().slice(0, before), frames);
  const first = screens.find((screen) => screen.includes("Lens:")) ?? "";
  expect(first.split("── Lens:")[0]).toBe(end.split("── Lens:")[0] ?? "");
});

/** The screen after each piece of output. */
async function replayed(before: string, pieces: readonly string[]): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const write = (text: string) => new Promise<void>((done) => terminal.write(text, done));
  await write(before);
  const screens: string[] = [];
  for (const piece of pieces) {
    await write(piece);
    const { active } = terminal.buffer;
    const rows = Array.from({ length: terminal.rows }, (_, row) =>
      active
        .getLine(active.viewportY + row)
        ?.translateToString(true)
        .trimEnd(),
    );
    screens.push(rows.join("\n"));
  }
  terminal.dispose();
  return screens;
}
