import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPages, pagesOf } from "../../src/log/paged-text.ts";

test("every page of a large file has the right lines", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pages-"));
  const file = join(folder, "big.txt");
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${"é".repeat(i % 17)}`);
  lines[12_345] = "x".repeat(300_000);
  for (const end of ["", "\n"]) {
    await Bun.write(file, lines.join("\n") + end);
    const pages = await openPages(file);
    expect(pages.lines).toBe(lines.length);
    for (const from of [0, 1, 777, 12_340, 12_345, 12_346, 39_990]) {
      expect(await pages.read(from, from + 20)).toEqual(lines.slice(from, from + 20));
    }
    expect(await pages.read(40_000, 40_010)).toEqual([]);
  }
  await rm(folder, { recursive: true });
});

test("an empty file has no lines; a text in memory has pages, too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pages-"));
  await Bun.write(join(folder, "empty"), "");
  expect((await openPages(join(folder, "empty"))).lines).toBe(0);
  await rm(folder, { recursive: true });
  expect(await pagesOf("a\nb").read(1, 9)).toEqual(["b"]);
});
