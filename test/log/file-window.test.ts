import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileWindow } from "../../src/log/file-window.ts";
import { testFolder } from "./folder.ts";
import { openFiles } from "./open-files.ts";

const root = testFolder();
let count = 0;

const written = (text: string): string => {
  const file = join(root, String(count++));
  writeFileSync(file, text);
  return file;
};

test("pieces are read in any order, and only as far as the file goes", () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `${n}\n`).join("");
  const window = new FileWindow(written(text));
  for (const [at, bytes] of [
    [0, 10],
    [150_000, 70_000],
    [65_530, 12],
    [100, 5],
    [text.length - 3, 3],
  ] as const)
    expect(window.text({ at, bytes })).toBe(text.slice(at, at + bytes));
  expect(window.text({ at: text.length - 3, bytes: 10 })).toBe(text.slice(-3));
});

test.skipIf(process.platform !== "linux")("the file is open only while it is held", () => {
  const file = written("abc");
  const window = new FileWindow(file);
  expect(window.text({ at: 0, bytes: 1 })).toBe("a");
  expect(openFiles()).not.toContain(file);
  window.hold();
  expect(openFiles()).toContain(file);
  window.close();
  expect(openFiles()).not.toContain(file);
});
