import { afterEach, expect, jest, spyOn, test } from "bun:test";
import { inSlices, progressBar } from "../../src/base/long-work.ts";

afterEach(() => void jest.restoreAllMocks());

function* counting(to: number, seen: number[]): Generator<void, string> {
  for (let n = 0; n < to; n++) {
    seen.push(n);
    yield;
  }
  return "done";
}

test("other tasks run between slices of a few milliseconds", async () => {
  let nowMs = 0;
  spyOn(performance, "now").mockImplementation(() => nowMs++);
  const seen: number[] = [];
  const result = inSlices(counting(20, seen));
  const parts: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    parts.push(seen.length);
    await new Promise((resume) => setImmediate(resume));
  }
  expect(parts.slice(0, 4)).toEqual([5, 10, 15, 20]);
  expect(await result).toBe("done");
});

test("what is done at once needs no turn of the event loop, and errors are passed on", async () => {
  const seen: number[] = [];
  void inSlices(counting(3, seen));
  expect(seen).toEqual([0, 1, 2]);
  const failing = (function* (): Generator<void, string> {
    yield;
    throw new Error("no");
  })();
  await expect(inSlices(failing)).rejects.toThrow("no");
});

test.each([
  [0, 4, "▐░░░░▌"],
  [1, 4, "▐█░░░▌"],
  [399, 400, "▐███░▌"],
  [4, 4, "▐████▌"],
  [9, 4, "▐████▌"],
  [0, 0, "▐░░░░▌"],
])("%d of %d is %s", (done, of, bar) => {
  expect(progressBar(done, of, 4)).toBe(bar);
});
