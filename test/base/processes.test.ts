import { expect, spyOn, test } from "bun:test";
import { isRunning, processStart } from "../../src/base/processes.ts";

test("a process is known by its id and its start, where that is known", () => {
  const { pid } = process;
  const started = processStart(pid);
  expect(isRunning({ pid, started })).toBe(true);
  expect(isRunning({ pid, started: "" })).toBe(true);
  expect(isRunning({ pid, started: "1" })).toBe(started === "");
  expect(isRunning({ pid: 99_999_999, started: "" })).toBe(false);
});

test("a process that may not be signaled runs", () => {
  const kill = spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("no"), { code: "EPERM" });
  });
  expect(isRunning({ pid: 99_999_999, started: "" })).toBe(true);
  kill.mockRestore();
});
