import { afterAll, expect, test } from "bun:test";
import fc from "../properties.ts";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { blockText } from "../../src/protocol/block.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { countLines, keepEnds, takeEnd, takeStart } from "../../src/base/clip.ts";
import { persist, persistLarge } from "../../src/tools/results.ts";
import { watchDisk } from "../log/watch-disk.ts";
import { leave, temporaryFolder } from "./room.ts";

afterAll(leave);

const name = { ms: 1_700_000_000_000, tool: "Grep", id: "toolu_1" };

const text = (text: string) => ({ content: [{ type: "text", text } as const] });

test("a result exactly at the limit is unchanged, one byte more is persisted first", async () => {
  const dir = join(temporaryFolder(), "results");
  const limit = "x".repeat(30 * 1024);
  const small = await persistLarge(text(limit), name, dir, defaultPolicy);
  expect(small).toEqual({ ...text(limit), bytes: limit.length, lines: 1 });
  const large = await persistLarge(text(`${limit}y`), name, dir, defaultPolicy);
  expect(large.file).toBe(join(dir, "1700000000000-Grep-toolu_1.txt"));
  expect(readFileSync(large.file ?? "", "utf8")).toBe(`${limit}y`);
  expect(large.bytes).toBe(limit.length + 1);
});

test("the full text and its file's name are synced before the preview is returned", async () => {
  const root = temporaryFolder();
  const events = watchDisk(root);
  const { file } = await persistLarge(text("x".repeat(40_000)), name, root, defaultPolicy);
  const saved = basename(file ?? "");
  expect(events.filter((event) => event.endsWith(saved))).toEqual([
    `write ${saved}`,
    `sync ${saved}`,
  ]);
  expect(events.at(-1)).toBe("sync .");
});

test("the preview names size, lines, path and the way to the rest, then both ends by their lines", async () => {
  const dir = join(temporaryFolder(), "results");
  const whole = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}`).join("\n");
  const outcome = await persistLarge(text(whole), name, dir, defaultPolicy);
  const shown = blockText(outcome.content);
  expect(shown).toContain(`${(whole.length / 1024).toFixed(1)} KB, 5,000 lines`);
  expect(shown).toContain(outcome.file ?? "no file");
  expect(shown).toContain("Read");
  expect(shown).toContain("Lines 1 to 133:\nline 1\n");
  expect(shown).toContain("\nline 133\n[... the rest of lines 134 to 4,933 is in the file ...]\n");
  expect(shown).toEndWith(`Lines 4,934 to 5,000:\n${whole.slice(whole.indexOf("line 4934"))}`);
  expect(outcome.lines).toBe(5000);
});

test("folder and files are the owner's alone", async () => {
  const dir = join(temporaryFolder(), "deep", "results");
  const file = await persist(dir, name, "x");
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("results of one millisecond never overwrite each other", async () => {
  const dir = temporaryFolder();
  const texts = Array.from({ length: 50 }, (_, at) => `result ${at}`);
  const files = await Promise.all(texts.map((one) => persist(dir, name, one)));
  expect(new Set(files).size).toBe(50);
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(texts);
});

test("a hostile id cannot leave the folder", async () => {
  const dir = temporaryFolder();
  for (const id of ["../../escape", "/etc/passwd", "a\0b", "", ".".repeat(300), "\n"]) {
    await persist(dir, { ...name, id, tool: "../x" }, "x");
  }
  expect(readdirSync(dir)).toHaveLength(6);
});

test("a result that cannot be persisted is still shown, at both ends", async () => {
  const blocked = join(temporaryFolder(), "file");
  writeFileSync(blocked, "");
  const whole = `START${"x".repeat(100_000)}END`;
  const outcome = await persistLarge(text(whole), name, join(blocked, "results"), defaultPolicy);
  const shown = blockText(outcome.content);
  expect(shown).toContain("could not be saved");
  expect(shown).toContain("START");
  expect(shown).toEndWith("END");
  expect(shown.length).toBeLessThan(defaultPolicy.persistBytes + 200);
});

test("above the character limit a result keeps head and tail of equal length", async () => {
  const policy = { ...defaultPolicy, persistBytes: 10_000_000 };
  const outcome = await persistLarge(text("ab".repeat(50_000)), name, temporaryFolder(), policy);
  const shown = blockText(outcome.content);
  const [head = "", tail = ""] = shown.split(/\n\n\[\.\.\. \d+ characters left out \.\.\.\]\n\n/);
  expect(head.length).toBe(tail.length);
  expect(shown.length).toBeLessThanOrEqual(50_000);
  expect(Number(/(\d+) characters/.exec(shown)?.[1])).toBe(100_000 - head.length - tail.length);
});

test("images are kept beside a persisted text", async () => {
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
  const image = { type: "image", source } as const;
  const content = [image, ...text("x".repeat(40_000)).content];
  const outcome = await persistLarge({ content }, name, temporaryFolder(), defaultPolicy);
  expect(outcome.content).toContainEqual(image);
  expect(outcome.content).toHaveLength(2);
});

test("whatever the text, the preview is bounded, whole characters, and smaller than the result", async () => {
  const dir = temporaryFolder();
  const unit = fc.constantFrom("a", "é", "汉", "😀", "\n", "word ", "👩‍👩‍👧");
  const parts = fc.tuple(
    fc.array(unit, { minLength: 1, maxLength: 20 }),
    fc.integer({ min: 1, max: 400 }),
  );
  const sizes = fc.record({
    persistBytes: fc.integer({ min: 1, max: 2000 }),
    previewChars: fc.integer({ min: 1, max: 3000 }),
    previewLines: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(parts, sizes, async ([units, times], policy) => {
      const whole = units.join("").repeat(times);
      const outcome = await persistLarge(text(whole), name, dir, { ...defaultPolicy, ...policy });
      const shown = blockText(outcome.content);
      expect(shown.length).toBeLessThanOrEqual(whole.length);
      expect(shown.isWellFormed()).toBe(true);
      if (outcome.file === undefined) expect(shown).toBe(whole);
      else if (shown !== whole) expect(shown.length).toBeLessThanOrEqual(policy.previewChars + 400);
    }),
    { numRuns: 100 },
  );
});

test("cutting never halves a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(80), (whole, chars) => {
      for (const cut of [takeStart(whole, chars), takeEnd(whole, chars), keepEnds(whole, chars)]) {
        expect(cut.isWellFormed()).toBe(true);
      }
      expect(takeStart(whole, chars).length).toBeLessThanOrEqual(chars);
      expect(takeEnd(whole, chars).length).toBeLessThanOrEqual(chars);
    }),
  );
});

test.each([
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["\n", 1],
  ["a\n\n", 2],
])("%j has %d lines", (whole, lines) => {
  expect(countLines(whole)).toBe(lines);
});
