import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
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

test("an answer of the terminal is no input, for which a frame would be drawn", async () => {
  const bytes = new PassThrough();
  const nothing = (): void => undefined;
  const stdin = Object.assign(bytes, { setRawMode: nothing, ref: nothing, unref: nothing });
  const taken: unknown[] = [];
  let answers = 0;
  const input = terminalInput({
    stdin,
    write: () => undefined,
    take: (events) => void taken.push(events),
    focus: () => undefined,
    answered: () => void answers++,
    ended: () => undefined,
  });
  input.setRawMode(true);
  for (const piece of ["\x1b[0n", "\x1b[I", "a"]) bytes.write(piece);
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toBe(1);
  expect(taken.flat()).toHaveLength(1);
  expect(taken).toHaveLength(1);
  input.stop();
});
