import { expect, test } from "bun:test";
import { Steps } from "../../../src/commands/import/steps.ts";

test("a step has its lines in their order, also beyond 4 GiB", () => {
  const steps = new Steps();
  const far = 5 * 2 ** 32;
  const first = steps.begin(-1);
  steps.addLine(first, { offset: 0, bytes: 10 }, "a", null);
  const second = steps.begin(first);
  steps.addLine(second, { offset: 10, bytes: 20 }, "b", "a");
  steps.addLine(first, { offset: 2 ** 32 - 1, bytes: 30 }, "c", null);
  steps.addLine(first, { offset: 2 ** 32, bytes: 40 }, "d", null);
  const third = steps.begin(second);
  steps.addLine(third, { offset: far + 7, bytes: 50 }, "e", "b");

  expect(steps.lines(first)).toEqual([
    { offset: 0, bytes: 10 },
    { offset: 2 ** 32 - 1, bytes: 30 },
    { offset: 2 ** 32, bytes: 40 },
  ]);
  expect(steps.lines(second)).toEqual([{ offset: 10, bytes: 20 }]);
  expect(steps.lines(third)).toEqual([{ offset: far + 7, bytes: 50 }]);
  expect(steps.lines(3)).toEqual([]);
  expect(["a", "c", "d", "e"].map(steps.find, steps)).toEqual([first, first, first, third]);
});
