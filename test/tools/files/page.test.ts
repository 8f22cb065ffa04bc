/** Pages of a text in memory and of a file, which must be the same. */

import { afterAll, describe, expect, test } from "bun:test";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPage, type FilePage } from "../../../src/tools/files/read-file.ts";
import { leave, temporaryFolder } from "../room.ts";

afterAll(leave);
const folder = temporaryFolder();

type Limits = Partial<Parameters<typeof readPage>[1]>;

async function pages(text: string, limits: Limits = {}): Promise<(FilePage | null)[]> {
  const full = { offset: 1, limit: 100, maxBytes: 10_000, cleaned: false, column: 1, ...limits };
  const file = join(folder, "page.txt");
  await writeFile(file, text);
  const handle = await open(file);
  try {
    return [await readPage(text, full), await readPage(handle, full)];
  } finally {
    await handle.close();
  }
}

describe.each(["in memory", "from a file"])("%s", (where) => {
  const page = async (text: string, limits: Limits = {}) =>
    (await pages(text, limits))[where === "in memory" ? 0 : 1];

  test("lines are numbered; a last line break opens no line", async () => {
    expect(await page("a\nb\n")).toEqual({
      text: "     1\ta\n     2\tb",
      first: 1,
      last: 2,
      total: 2,
      whole: true,
      empty: false,
    });
    expect(await page("a\n\nb")).toMatchObject({ last: 3, total: 3, whole: true });
  });

  test("an empty text has no lines", async () => {
    expect(await page("")).toMatchObject({ text: "", last: 0, total: 0, whole: true, empty: true });
  });

  test("offset and limit choose lines; a part is not the whole", async () => {
    expect(await page("a\nb\nc\nd", { offset: 2, limit: 2 })).toMatchObject({
      text: "     2\tb\n     3\tc",
      first: 2,
      last: 3,
      whole: false,
    });
    expect(await page("a\nb", { offset: 2 })).toMatchObject({ last: 2, total: 2, whole: false });
    expect(await page("a\nb", { limit: 2 })).toMatchObject({ whole: true });
    expect(await page("a\nb", { offset: 9 })).toMatchObject({ text: "", last: 8, total: 2 });
  });

  test("a page ends before the line that does not fit; one line is always shown", async () => {
    // A line takes 6 columns for its number, a tab, its text and a line break.
    expect(await page("aa\nbb\ncc", { maxBytes: 20 })).toMatchObject({ last: 2 });
    expect(await page("aa\nbb\ncc", { maxBytes: 19 })).toMatchObject({ last: 1 });
    expect(await page("x".repeat(100), { maxBytes: 5 })).toMatchObject({ last: 1 });
    expect(await page("éé\néé", { maxBytes: 23 })).toMatchObject({ last: 1 });
  });

  test("a long line is cut between characters, and the page is not the whole", async () => {
    const cut = await page(`${"x".repeat(1_999)}🙂🙂\nb`);
    expect(cut?.text).toBe(
      `     1\t${"x".repeat(1_999)} [line cut here; column 2000 continues it]\n     2\tb`,
    );
    expect(cut?.whole).toBe(false);
    expect(await page("x".repeat(2_000))).toMatchObject({ whole: true });
  });

  test("carriage returns at line ends are not shown", async () => {
    expect((await page("a\r\nb\r\n"))?.text).toBe("     1\ta\n     2\tb");
  });

  test("output of programs is cleaned", async () => {
    expect((await page("a\x1b[1mb\0", { cleaned: true }))?.text).toBe("     1\tab^@");
  });
});

test("a file with a null byte is binary, unless it is output", async () => {
  expect((await pages("a\0b"))[1]).toBeNull();
});

test("lines and characters across pieces of a megabyte are whole", async () => {
  const line = `${"é".repeat(99)}\n`;
  const text = line.repeat(11_000);
  const [inMemory, fromFile] = await pages(text, { offset: 5_200, limit: 100, maxBytes: 1e6 });
  expect(fromFile?.text).toBe(inMemory?.text ?? "");
  expect(fromFile?.last).toBe(5_299);
});

test("lines after the page are counted only in a text", async () => {
  const text = "line\n".repeat(400_000);
  const [inMemory, fromFile] = await pages(text, { limit: 2 });
  expect(inMemory?.total).toBe(400_000);
  expect(fromFile?.total).toBeNull();
});
