import { expect, test } from "bun:test";
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBeating, startHeartbeat } from "../../src/log/lock.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
let serial = 0;

/** A lock that was last touched long ago. */
function oldLock(content: string): string {
  const path = join(root, `${++serial}.lock`);
  writeFileSync(path, content);
  utimesSync(path, 1, 1);
  return path;
}

const touched = async (path: string): Promise<void> => {
  while (statSync(path).mtimeMs < 10_000) await Bun.sleep(1);
};

test("the holder touches its lock and leaves its content alone", async () => {
  const path = oldLock("own");
  const stop = startHeartbeat(path, "own", 1);
  await touched(path);
  expect(readFileSync(path, "utf8")).toBe("own");
  stop();
});

test("a lock that someone else holds by now is not touched", async () => {
  const other = oldLock("another");
  const own = oldLock("own");
  const stops = [startHeartbeat(other, "own", 1), startHeartbeat(own, "own", 1)];
  await touched(own);
  utimesSync(own, 1, 1);
  await touched(own);
  for (const stop of stops) stop();
  expect(statSync(other).mtimeMs).toBe(1_000);
});

test("after it was stopped nothing is touched", async () => {
  const [stopped, beating] = [oldLock("own"), oldLock("own")];
  startHeartbeat(stopped, "own", 1)();
  const stop = startHeartbeat(beating, "own", 1);
  await touched(beating);
  stop();
  expect(statSync(stopped).mtimeMs).toBe(1_000);
});

test("a lock that is unavailable for a while is touched once it is back", async () => {
  const path = oldLock("own");
  rmSync(path);
  const stop = startHeartbeat(path, "own", 1);
  const other = oldLock("own");
  const stopOther = startHeartbeat(other, "own", 1);
  await touched(other);
  writeFileSync(path, "own");
  utimesSync(path, 1, 1);
  await touched(path);
  stop();
  stopOther();
});

test("a lock beats until two minutes after it was touched", () => {
  const path = oldLock("x");
  expect(isBeating(path, 1_000 + 119_999)).toBe(true);
  expect(isBeating(path, 1_000 + 120_000)).toBe(false);
  // The lock was left before the clock was set back.
  expect(isBeating(path, 1_000 - 120_000)).toBe(false);
  expect(isBeating(join(root, "missing"), 0)).toBe(false);
});
