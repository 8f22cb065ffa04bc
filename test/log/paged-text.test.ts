import { expect, test } from "bun:test";
import { join } from "node:path";
import { Archive } from "../../src/log/search.ts";
import { createLog } from "../../src/log/store.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { testFolder } from "../folder.ts";
import { resultFact, userFact } from "./facts.ts";

const folder = testFolder("pages");
const log = createLog(folder, "s");
const archive = new Archive(log, folder);

async function open(fact: Fact) {
  const opened = await archive.open((await log.append(fact)).id);
  if (!opened) throw new Error("The entry is not found.");
  return opened.text;
}

/** A result with this text in its file. */
async function openFile(name: string, text: string) {
  const file = join(folder, name);
  await Bun.write(file, text);
  const result = resultFact("t", "preview");
  return open(result.type === "result" ? { ...result, file } : result);
}

test("every page of a large file has the right lines", async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${"é".repeat(i % 17)}`);
  lines[12_345] = "x".repeat(300_000);
  lines.fill("", 20_000, 20_003);
  for (const end of ["", "\n"]) {
    const text = lines.join("\n") + end;
    const pages = await openFile("big.txt", text);
    expect([pages.lines, pages.bytes]).toEqual([lines.length, Buffer.byteLength(text)]);
    for (const from of [0, 1, 777, 12_340, 12_345, 12_346, 39_990]) {
      expect(await pages.read(from, from + 20)).toEqual(lines.slice(from, from + 20));
    }
    expect(await pages.read(40_000, 40_010)).toEqual([]);
  }
});

test("an empty file has no lines; a text in memory has pages, too", async () => {
  expect((await openFile("empty", "")).lines).toBe(0);
  const pages = await open(userFact("a\nbé"));
  expect([pages.lines, pages.bytes]).toEqual([2, 5]);
  expect(await pages.read(1, 9)).toEqual(["bé"]);
});

test("a page may end or start anywhere, even past the end", async () => {
  // One line fills the first block of 64 KB exactly.
  const lines = ["x".repeat(64 * 1024 - 1), "a", "b", "c"];
  const pages = await openFile("lines.txt", `${lines.join("\n")}\n`);
  for (let from = 0; from <= 4; from++) {
    for (let to = 0; to <= 5; to++) {
      expect(await pages.read(from, to)).toEqual(lines.slice(from, Math.max(from, to)));
    }
  }
});
