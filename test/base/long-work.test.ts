import { expect, test } from "bun:test";
import { progressBar } from "../../src/base/long-work.ts";

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
