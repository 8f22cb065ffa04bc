import { expect, test } from "bun:test";
import { terminalInput } from "../../../src/ui/terminal/terminal-input.ts";

test("stopped input does not switch reports on again", () => {
  const written: string[] = [];
  const input = terminalInput({
    stdin: process.stdin,
    write: (code) => void written.push(code),
    take: () => undefined,
    focus: () => undefined,
    ended: () => undefined,
  });
  input.setReports(true);
  input.stop();
  const before = written.length;
  input.setReports(true);
  expect(before).toBe(2);
  expect(written.length).toBe(before);
});
