import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flowControl, statusRequest } from "../../../src/ui/terminal/flow.ts";
import { Painter } from "../../../src/ui/terminal/painter.ts";
import { FakeClock } from "../../fake-api/fake-clock.ts";
import { openScripted } from "../scripted.ts";

function flow(clock = new FakeClock()) {
  const written: string[] = [];
  let resumed = 0;
  const on = flowControl({
    write: (code) => void written.push(code),
    resume: () => void resumed++,
    after: (ms, fire) => clock.after(ms, fire),
  });
  return { on, written, resumed: () => resumed };
}

test("frames wait for the terminal's answer, and are drawn once it has come", () => {
  const { on, written, resumed } = flow();
  on.wrote(500);
  expect(written).toEqual([statusRequest]);
  expect(on.isFull()).toBe(false);
  on.wrote(400);
  expect(on.isFull()).toBe(true);
  expect(resumed()).toBe(0);
  on.answered();
  expect(resumed()).toBe(1);
  expect(on.isFull()).toBe(false);
  expect(written).toEqual([statusRequest]);
  on.stop();
});

test("a stopped flow never delays output, and lets others go on", async () => {
  const { on } = flow();
  on.wrote(9_000);
  const quiet = on.quiet();
  on.stop();
  expect(on.isFull()).toBe(false);
  await quiet;
});

test("a terminal that never answers is not waited for again", () => {
  const clock = new FakeClock();
  const { on, resumed } = flow(clock);
  on.wrote(800);
  on.wrote(400);
  expect(on.isFull()).toBe(true);
  clock.advance(10_000);
  expect(resumed()).toBe(1);
  on.wrote(9_000);
  expect(on.isFull()).toBe(false);
});

test("after a lost answer one frame is drawn, and the terminal asked again", () => {
  const clock = new FakeClock();
  const { on, written, resumed } = flow(clock);
  on.wrote(400);
  on.answered();
  on.wrote(800);
  on.wrote(400);
  expect(on.isFull()).toBe(true);
  clock.advance(1_000);
  expect(resumed()).toBe(1);
  on.wrote(400);
  expect(written).toHaveLength(3);
  on.stop();
});

test("others get the terminal once the answer that is due has come", async () => {
  const { on } = flow();
  await on.quiet();
  on.wrote(500);
  let isQuiet = false;
  const quiet = on.quiet().then(() => void (isQuiet = true));
  await new Promise(setImmediate);
  expect(isQuiet).toBe(false);
  on.answered();
  await quiet;
  on.stop();
});

test("others get the terminal although it never answers", async () => {
  const clock = new FakeClock();
  const { on } = flow(clock);
  on.wrote(500);
  const quiet = on.quiet();
  clock.advance(1_000);
  await quiet;
  on.stop();
});

/**
 * The time in milliseconds from a key to its echo, on a connection with this many bytes per second
 * that is never idle.
 */
function echoMs(bytesPerSecond: number, typedAtMs: number): number {
  let sent = 0;
  let carried = 0;
  const questions: number[] = [];
  const send = (text: string): void => {
    sent += text.length;
    if (text === statusRequest) questions.push(sent);
  };
  let line = 0;
  let prompt = "> ";
  let echoAt = Infinity;
  const flow = flowControl({ write: send, resume: () => draw() });
  const painter = new Painter((output) => {
    send(output);
    flow.wrote(output.length);
  });
  const draw = (): void => {
    if (flow.isFull()) return;
    const text = Array.from({ length: 22 }, (_, row) => `${line + row} ${"word ".repeat(14)}`);
    const frame = { rows: [...text, prompt, "meter"], scrolling: 22, cursor: null };
    painter.paint(frame, 80);
    if (prompt !== "> ") echoAt = Math.min(echoAt, sent);
  };
  draw();
  for (let ms = 0; ; ms++) {
    // The agent prints a line with every frame.
    if (ms % 80 === 0) line++;
    if (ms === typedAtMs) prompt = "> k";
    if (ms % 80 === 0 || ms === typedAtMs) draw();
    carried = Math.min(sent, carried + bytesPerSecond / 1_000);
    if (carried >= echoAt) {
      flow.stop();
      return ms - typedAtMs;
    }
    if (carried >= (questions[0] ?? Infinity)) {
      questions.shift();
      flow.answered();
    }
  }
}

test("at 9,600 bytes a second a key is echoed within 150 ms, whatever the agent prints", () => {
  for (let typedAtMs = 3_000; typedAtMs < 6_000; typedAtMs += 37)
    expect(echoMs(9_600, typedAtMs)).toBeLessThan(150);
});

test("nothing piles up for a terminal that takes nothing", async () => {
  const done = join(tmpdir(), `streamed-${process.pid}`);
  const pty = await openScripted({}, { env: { STREAMED: done } });
  // A terminal that has answered once is known to support the query.
  await pty.waitFor(() => pty.output().includes(statusRequest));
  pty.hold();
  const before = pty.written();
  await pty.type("stream 500\r");
  while (!(await Bun.file(done).exists())) await Bun.sleep(10);
  // What was in transit, a frame, and output that is not text: a query, a title.
  expect(pty.written() - before).toBeLessThan(4_000);
  pty.release();
  await pty.waitFor("w497");
  await rm(done);
});
