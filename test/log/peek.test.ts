import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { headLines, lastLineWith, tailLines } from "../../src/log/peek.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
const kb = 1024;
const mb = 1024 * kb;
const handles: FileHandle[] = [];
afterAll(() => Promise.all(handles.map((handle) => handle.close())));
let serial = 0;

/** Lines of ten bytes, newline included, numbered from zero. */
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${at}`.padStart(9, "0")).join("\n") + "\n";

async function openFile(text: string): Promise<[FileHandle, number]> {
  const file = join(root, `${++serial}`);
  writeFileSync(file, text);
  const handle = await open(file);
  handles.push(handle);
  return [handle, Buffer.byteLength(text)];
}

test("the head of a file grows until it is enough, by complete lines", async () => {
  const [handle, size] = await openFile(numbered(60_000));
  const first = await headLines(handle, size, () => true);
  expect(first).toHaveLength(Math.floor((128 * kb) / 10));
  const asked: number[] = [];
  const second = await headLines(handle, size, (lines) => asked.push(lines.length) === 2);
  expect(asked).toEqual([13_107, 52_428]);
  expect([second[0], second.at(-1)]).toEqual(["000000000", "000052427"]);
  const all = await headLines(handle, size, () => false);
  expect(all).toHaveLength(60_001);
  const [small, bytes] = await openFile("a\nb");
  expect(await headLines(small, bytes, () => false)).toEqual(["a", "b"]);
});

test("the head of a huge file ends after 8 MB", async () => {
  const [handle, size] = await openFile(numbered(mb));
  const lines = await headLines(handle, size, () => false);
  expect(lines.join("\n")).toHaveLength(8 * mb);
});

test("the tail of a file has complete lines, at least two", async () => {
  const [handle, size] = await openFile(numbered(60_000));
  const tail = await tailLines(handle, size);
  expect(tail).toHaveLength(Math.floor((128 * kb) / 10) + 1);
  expect(tail.slice(-2)).toEqual(["000059999", ""]);
  const long = "x".repeat(200 * kb);
  const [longHandle, longSize] = await openFile(`${numbered(60_000)}${long}\n`);
  const grown = await tailLines(longHandle, longSize);
  expect(grown.slice(-3)).toEqual(["000059999", long, ""]);
  expect(grown.join("\n").length).toBeLessThanOrEqual(512 * kb);
  const [small, bytes] = await openFile("a\nb");
  expect(await tailLines(small, bytes)).toEqual(["a", "b"]);
});

test("the tail of a huge line ends after 8 MB", async () => {
  const [handle, size] = await openFile(`a\nb\n${"x".repeat(9 * mb)}`);
  expect(await tailLines(handle, size)).toEqual([]);
});

const lastWith = async (
  text: string,
  limit = 100 * mb,
  test = (line: string) => line as string | null,
) => {
  const [handle, size] = await openFile(text);
  return lastLineWith(handle, size, "needle", test, limit);
};

test("the last line with a word is found, wherever it is", async () => {
  expect(await lastWith("needle 1\nb\nc")).toBe("needle 1");
  expect(await lastWith("a\nb needle\nc\n")).toBe("b needle");
  expect(await lastWith("needle 1\na needle needle 2")).toBe("a needle needle 2");
  expect(await lastWith("a\nb\n")).toBeNull();
  expect(await lastWith("")).toBeNull();
});

test("a line that fails the test is skipped", async () => {
  const good = (line: string) => (line.startsWith("good") ? line : null);
  expect(await lastWith("needle\ngood needle\nbad needle needle\n", mb, good)).toBe("good needle");
  expect(await lastWith("needle\nbad needle\n", mb, good)).toBeNull();
});

test("a line across steps of the search is found whole", async () => {
  const filler = `${"f".repeat(99)}\n`;
  for (const after of [mb - 3, mb, mb + 3, 2 * mb]) {
    const line = `head ${"x".repeat(500)} needle ${"y".repeat(500)}`;
    const tail = filler.repeat(after / 100).slice(0, after - 504);
    expect(await lastWith(`${filler.repeat(50)}${line}\n${tail}`)).toBe(line);
  }
  const long = `needle ${"z".repeat(3 * mb)}`;
  for (const after of ["", `\n${filler}`]) expect(await lastWith(`a\n${long}${after}`)).toBe(long);
});

test("the search for a line ends at its limit", async () => {
  const text = `needle\n${"f".repeat(99)}\n`.padEnd(3 * mb, "f\n");
  expect(await lastWith(text, 2 * mb)).toBeNull();
  expect(await lastWith(text, 2 * mb + 1)).toBe("needle");
});
