import { expect, spyOn, test } from "bun:test";
import {
  exitOnSignals,
  groupExists,
  leadsGroup,
  onSignals,
  signalGroup,
} from "../../src/base/signals.ts";
import { Output, ownProcess } from "../own-process.ts";

test("a signal ends the program with the shell's code, unless it is closing or something else handles it", () => {
  const { events, restore } = ownProcess({ stdin: {}, stdout: new Output(() => {}), env: {} });
  const exit = spyOn(process, "exit").mockImplementation((code) => {
    throw code;
  });
  const codeOf = (name: string): unknown => {
    try {
      return void events.emit(name, name);
    } catch (code) {
      return code;
    }
  };
  let isClosing = false;
  exitOnSignals(() => isClosing);
  expect(["SIGINT", "SIGTERM", "SIGHUP"].map(codeOf)).toEqual([130, 143, 129]);
  isClosing = true;
  expect(codeOf("SIGTERM")).toBeUndefined();
  isClosing = false;
  const left: number[] = [];
  onSignals((code) => left.push(code));
  expect(["SIGINT", "SIGTERM", "SIGHUP"].map(codeOf)).toEqual([undefined, undefined, undefined]);
  expect(left).toEqual([130, 143, 129]);
  exit.mockRestore();
  restore(0);
});

test("a signal reaches a program and what it started", async () => {
  const child = Bun.spawn(["sh", "-c", "sleep 600 & echo; wait"], {
    ...leadsGroup,
    stdin: "ignore",
  });
  await child.stdout.getReader().read();
  expect(groupExists(child.pid)).toBe(true);
  signalGroup(child.pid, "SIGTERM");
  await child.exited;
  while (groupExists(child.pid)) await Bun.sleep(1);
  signalGroup(child.pid, "SIGTERM");
  expect(child.signalCode).toBe("SIGTERM");
});
