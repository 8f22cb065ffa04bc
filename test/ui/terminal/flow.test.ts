/** Frames are dropped while the terminal lags: it answers a status request after it has shown what came before. */

import { expect, jest, onTestFinished, test } from "bun:test";
import { Painter } from "../../../src/ui/terminal/painter.ts";
import { openScripted } from "../scripted.ts";

const statusRequest = "\x1b[5n";

/** A painter, and frames of which each writes at least this many bytes. */
function lagging() {
  let requests = 0;
  let resumed = 0;
  let frames = 0;
  const painter = new Painter(
    (output) => void (output === statusRequest && requests++),
    () => void resumed++,
  );
  return {
    painter,
    paint(bytes: number): void {
      const row = String.fromCharCode(97 + (frames++ % 26)).repeat(bytes);
      painter.paint({ rows: [row], scrolling: 0, cursor: null }, bytes);
    },
    requests: () => requests,
    resumed: () => resumed,
  };
}

function fakeTime(): void {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
}

test("frames are skipped until the terminal's answer, and then one is drawn", () => {
  const { painter, paint, requests, resumed } = lagging();
  paint(400);
  expect(requests()).toBe(1);
  paint(500);
  // It may be a terminal that knows no status requests.
  expect(painter.skips()).toBe(false);
  painter.answered();
  paint(500);
  expect(painter.skips()).toBe(false);
  paint(400);
  expect(painter.skips()).toBe(true);
  expect(resumed()).toBe(0);
  painter.answered();
  expect(resumed()).toBe(1);
  expect(painter.skips()).toBe(false);
  expect(requests()).toBe(2);
});

test("after a lost answer one frame is drawn, and the terminal asked again", () => {
  fakeTime();
  const { painter, paint, requests, resumed } = lagging();
  paint(400);
  painter.answered();
  paint(400);
  paint(400);
  expect(painter.skips()).toBe(true);
  jest.advanceTimersByTime(1_000);
  expect(resumed()).toBe(1);
  paint(400);
  expect(requests()).toBe(3);
});

test("others get the terminal once the answer that is due has come, or never comes", async () => {
  fakeTime();
  const { painter, paint } = lagging();
  await painter.quiet();
  for (const settle of [() => painter.answered(), () => jest.advanceTimersByTime(1_000)]) {
    paint(400);
    let isQuiet = false;
    const quiet = painter.quiet().then(() => void (isQuiet = true));
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect(isQuiet).toBe(false);
    settle();
    await quiet;
  }
});

/**
 * The time in milliseconds from a key to its echo, on a connection with this many bytes per second
 * that is never idle.
 */
function echoMs(bytesPerSecond: number, typedAtMs: number): number {
  let sent = 0;
  let carried = 0;
  const requests: number[] = [];
  let line = 0;
  let prompt = "> ";
  let echoAt = Infinity;
  const painter = new Painter(
    (output) => {
      sent += output.length;
      if (output === statusRequest) requests.push(sent);
    },
    () => draw(),
  );
  const draw = (): void => {
    if (painter.skips()) return;
    const text = Array.from({ length: 22 }, (_, row) => `${line + row} ${"word ".repeat(14)}`);
    painter.paint({ rows: [...text, prompt, "meter"], scrolling: 22, cursor: null }, 80);
    if (prompt !== "> ") echoAt = Math.min(echoAt, sent);
  };
  draw();
  for (let ms = 0; ; ms++) {
    // The agent prints a line with every frame.
    if (ms % 80 === 0) line++;
    if (ms === typedAtMs) prompt = "> k";
    if (ms % 80 === 0 || ms === typedAtMs) draw();
    carried = Math.min(sent, carried + bytesPerSecond / 1_000);
    if (carried >= echoAt) return ms - typedAtMs;
    if (carried >= (requests[0] ?? Infinity)) {
      requests.shift();
      painter.answered();
    }
  }
}

test("at 9,600 bytes a second a key is echoed within 150 ms, whatever the agent prints", () => {
  fakeTime();
  for (let typedAtMs = 3_000; typedAtMs < 6_000; typedAtMs += 37)
    expect(echoMs(9_600, typedAtMs)).toBeLessThan(150);
});

test("nothing piles up for a terminal that takes nothing", async () => {
  const pty = await openScripted({ items: 40 });
  // A terminal that has answered once is known to support the query.
  await pty.waitFor(() => pty.output().includes(statusRequest));
  pty.hold();
  const [before, beganMs] = [pty.written(), performance.now()];
  for (let n = 0; n < 21; n++) {
    await pty.press("ctrl+t");
    for (let turn = 0; turn < 9; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  // After each second of silence there is a frame.
  const frames = 2 + Math.floor((performance.now() - beganMs) / 1_000);
  expect(pty.written() - before).toBeLessThan(frames * 6_000);
  pty.release();
  await pty.waitFor("── Context");
});
