import { expect, spyOn, test } from "bun:test";
import { progressBar, yieldLoop } from "../../src/base/long-work.ts";

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

test("a loop lets others run once 20 ms have passed", async () => {
  const clock = spyOn(performance, "now").mockReturnValue(0);
  const pause = yieldLoop();
  const waits = async (ms: number): Promise<boolean> => {
    clock.mockReturnValue(ms);
    let didOthersRun = false;
    void Bun.sleep(0).then(() => (didOthersRun = true));
    await pause();
    const waited = didOthersRun;
    await Bun.sleep(1);
    return waited;
  };
  expect([await waits(19), await waits(20), await waits(39), await waits(40)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  clock.mockRestore();
});
