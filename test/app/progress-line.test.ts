import { expect, test } from "bun:test";
import { ProgressLine } from "../../src/app/progress-line.ts";
import { progressBar } from "../../src/base/long-work.ts";

function line(isTTY: boolean) {
  const written: string[] = [];
  let nowMs = 0;
  const terminal = { isTTY, columns: 60, write: (text: string) => void written.push(text) };
  const on = new ProgressLine(terminal, () => nowMs);
  return { on, written, wait: (ms: number) => void (nowMs += ms) };
}

test("a bar fills as the work is done", () => {
  expect(progressBar(0, 4, 8)).toBe("▐░░░░░░░░▌");
  expect(progressBar(2, 4, 8)).toBe("▐████░░░░▌");
  expect(progressBar(4, 4, 8)).toBe("▐████████▌");
  expect(progressBar(0, 0, 8)).toBe("▐░░░░░░░░▌");
});

test("short work shows no bar, longer work shows one line that is cleared", () => {
  const { on, written, wait } = line(true);
  on.show(0, 4, "a.jsonl");
  on.clear();
  expect(written).toEqual([]);
  wait(400);
  on.show(2, 4, `b\x1b[2J${"x".repeat(80)}`);
  on.show(3, 4, "c.jsonl");
  const [bar = ""] = written;
  expect(written).toHaveLength(1);
  expect(bar).toStartWith("\r\x1b[K▐████████████░░░░░░░░░░░░▌ 3 of 4  b");
  expect(bar).not.toContain("\x1b[2J");
  expect(Bun.stringWidth(bar)).toBeLessThan(60);
  on.clear();
  on.clear();
  expect(written.slice(1)).toEqual(["\r\x1b[K"]);
});

test("a file gets no bar", () => {
  const { on, written, wait } = line(false);
  wait(400);
  on.show(2, 4, "b.jsonl");
  on.clear();
  expect(written).toEqual([]);
});

test("a bar is shown once work has taken 300 ms, and moves every 300 ms", () => {
  const { on, written, wait } = line(true);
  const times = [299, 1, 299, 1].map((ms) => {
    wait(ms);
    on.show(0, 4, "a");
    return written.length;
  });
  expect(times).toEqual([0, 1, 1, 2]);
});

test("a terminal of unknown width has 80 columns", () => {
  const written: string[] = [];
  let nowMs = 0;
  const terminal = { isTTY: true, write: (text: string) => void written.push(text) };
  const on = new ProgressLine(terminal, () => nowMs);
  nowMs = 300;
  on.show(0, 4, "x".repeat(99));
  expect(Bun.stringWidth(written[0] ?? "")).toBe(79);
});
