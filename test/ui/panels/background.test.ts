/** Commands in the background. */

import { expect, jest, onTestFinished, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { quietServices } from "../quiet-services.ts";
import { stage } from "../stage.ts";

test("a command in the background is listed with its last line, read as it grows, and stopped", async () => {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
  let lines = ["line 1"];
  let isRunning = true;
  const on = stage(new Builder(), {
    panel: { kind: "background" },
    services: {
      background: {
        ...quietServices.background,
        list: async () => {
          const state = isRunning ? "running" : "killed";
          const command = { id: "bash_1", command: "npm run dev", bytes: 9, file: "/f" };
          return [{ ...command, isRunning, state, lastLine: lines.at(-1) ?? "" }];
        },
        open: async () => ({ lines: lines.length, bytes: 9, read: async () => lines }),
        async stop() {
          isRunning = false;
          return "";
        },
      },
    },
  });
  /** What is shown a second later, when the list was read again. */
  const later = async (): Promise<string> => {
    jest.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 9; turn++) await on.settle();
    return on.frame();
  };
  expect(await later()).toMatch(/○ npm run dev +running, 9 B\n +│ line 1/);
  await on.press("<enter>");
  lines = [...lines, "more"];
  expect(await later()).toMatch(/line 1\nmore\n.*back to the list/);
  await on.press("<escape>", "x");
  expect(await later()).toMatch(/● npm run dev +killed, 9 B/);
  expect(on.message()).toBe("Stopped: npm run dev");
  await on.press("x");
  expect(on.message()).toBe("The command has already ended.");
});

test("Ctrl-B lists the commands, where none is running", async () => {
  const on = stage(new Builder());
  await on.press("<ctrl+b>");
  expect(on.frame()).toContain("None. Ctrl-B sends the running command here.");
  expect(on.frame()).not.toContain("x stop");
});
