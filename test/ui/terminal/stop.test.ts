import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { terminalInput } from "../../../src/ui/terminal/terminal-input.ts";

/** The input of a terminal that sends what is written to `bytes`. */
function open() {
  const bytes = new PassThrough();
  const nothing = (): void => undefined;
  const written: string[] = [];
  const taken: unknown[][] = [];
  const on = { bytes, written, taken, answers: 0 };
  const input = terminalInput({
    stdin: Object.assign(bytes, { setRawMode: nothing, ref: nothing, unref: nothing }),
    write: (code) => void written.push(code),
    take: (events) => void taken.push(events),
    focus: nothing,
    answered: () => void on.answers++,
    ended: nothing,
  });
  return Object.assign(on, { input });
}

test("stopped input does not switch reports on again", () => {
  const { input, written } = open();
  input.setReports(true);
  input.stop();
  expect(written).toHaveLength(2);
  input.setReports(true);
  expect(written).toHaveLength(2);
});

test("an answer of the terminal is no input, for which a frame would be drawn", async () => {
  const on = open();
  on.input.setRawMode(true);
  for (const piece of ["\x1b[0n", "\x1b[I", "a"]) on.bytes.write(piece);
  await new Promise((resolve) => setImmediate(resolve));
  expect(on.answers).toBe(1);
  expect(on.taken.map(({ length }) => length)).toEqual([1]);
});
