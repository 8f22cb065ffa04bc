import { expect, test } from "bun:test";
import { join } from "node:path";
import { openPages, toPages } from "../../src/log/paged-text.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("pages");

test("every page of a large file has the right lines", async () => {
  const file = join(folder, "big.txt");
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${"é".repeat(i % 17)}`);
  lines[12_345] = "x".repeat(300_000);
  lines.fill("", 20_000, 20_003);
  for (const end of ["", "\n"]) {
    await Bun.write(file, lines.join("\n") + end);
    const pages = await openPages(file);
    expect([pages.lines, pages.bytes]).toEqual([lines.length, Bun.file(file).size]);
    for (const from of [0, 1, 777, 12_340, 12_345, 12_346, 39_990]) {
      expect(await pages.read(from, from + 20)).toEqual(lines.slice(from, from + 20));
    }
    expect(await pages.read(40_000, 40_010)).toEqual([]);
  }
});

test("an empty file has no lines; a text in memory has pages, too", async () => {
  await Bun.write(join(folder, "empty"), "");
  expect((await openPages(join(folder, "empty"))).lines).toBe(0);
  const pages = toPages("a\nbé");
  expect([pages.lines, pages.bytes]).toEqual([2, 5]);
  expect(await pages.read(1, 9)).toEqual(["bé"]);
});

test("a page may end or start anywhere, even past the end", async () => {
  const file = join(folder, "lines.txt");
  // One line fills the first block of 64 KB exactly.
  const lines = ["x".repeat(64 * 1024 - 1), "a", "b", "c"];
  await Bun.write(file, `${lines.join("\n")}\n`);
  const pages = await openPages(file);
  for (let from = 0; from <= 4; from++) {
    for (let to = 0; to <= 5; to++) {
      expect(await pages.read(from, to)).toEqual(lines.slice(from, Math.max(from, to)));
    }
  }
  await expect(openPages(join(folder, "none"))).rejects.toThrow("ENOENT");
});
