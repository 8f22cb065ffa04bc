/** Large results are saved to a file, and shown in part. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { disk } from "../../src/base/durable.ts";
import fc from "../properties.ts";
import { type ResultBlock, blockText } from "../../src/protocol/block.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { watchDisk } from "../log/watch-disk.ts";
import { leave, quietRun, room } from "./room.ts";

afterAll(leave);

/** A room with a tool that gives this content. */
async function giving(content: string | ResultBlock[], policy: Partial<Policy> = {}) {
  const blocks = { now: toBlocks(content) };
  const schema = z.strictObject({});
  const give: Tool<object> = {
    name: "Give",
    description: "",
    schema,
    readOnly: true,
    intent: async () => ({ access: { kind: "none" }, title: "", detail: "", detailKind: "text" }),
    run: async () => ({ content: blocks.now }),
  };
  const at = await room({ extra: [give], policy: { ...defaultPolicy, ...policy } });
  return {
    ...at,
    give: (more?: string, id = "toolu_1") => {
      if (more !== undefined) blocks.now = toBlocks(more);
      return at.box.run({ type: "tool_use", id, name: "Give", input: {} }, quietRun());
    },
  };
}

const toBlocks = (content: string | ResultBlock[]): ResultBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

test("a result exactly at the limit is unchanged, one byte more is saved first, for the owner alone", async () => {
  const limit = "x".repeat(30 * 1024);
  const at = await giving(limit);
  mkdirSync(at.results, { recursive: true, mode: 0o755 });
  expect(await at.give()).toEqual({ content: toBlocks(limit), bytes: limit.length, lines: 1 });
  const large = await at.give(`${limit}y`);
  expect(large.file).toBe(join(at.results, "1700000000000-Give-toolu_1.txt"));
  expect(readFileSync(large.file ?? "", "utf8")).toBe(`${limit}y`);
  expect(large.bytes).toBe(limit.length + 1);
  expect(statSync(dirname(large.file ?? "")).mode & 0o777).toBe(0o700);
  expect(statSync(large.file ?? "").mode & 0o777).toBe(0o600);
});

test("the full text and its file's name are synced before the preview is returned", async () => {
  const at = await giving("small");
  const events = watchDisk(at.results);
  const { file } = await at.give("x".repeat(40_000));
  const saved = basename(file ?? "");
  expect(events.filter((event) => event.endsWith(saved))).toEqual([
    `write ${saved}`,
    `sync ${saved}`,
  ]);
  expect(events.at(-1)).toBe("sync .");
  expect(statSync(dirname(at.results)).mode & 0o777).toBe(0o700);
});

test("the preview names size, lines, path and the way to the rest, then both ends by their lines", async () => {
  const whole = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}`).join("\n");
  const outcome = await (await giving(whole)).give();
  const shown = blockText(outcome.content);
  expect(shown).toContain(`${(whole.length / 1024).toFixed(1)} KB, 5,000 lines`);
  expect(shown).toContain(outcome.file ?? "no file");
  expect(shown).toContain("Read");
  expect(shown).toContain("Lines 1 to 133:\nline 1\n");
  expect(shown).toContain("\nline 133\n[... the rest of lines 134 to 4,933 is in the file ...]\n");
  expect(shown).toEndWith(`Lines 4,934 to 5,000:\n${whole.slice(whole.indexOf("line 4934"))}`);
  expect(outcome.lines).toBe(5000);
});

test("results of one call id never overwrite each other, and a hostile id cannot leave the folder", async () => {
  const at = await giving("x".repeat(40_000));
  const ids = ["a", "a", "../../escape", "/etc/passwd", "b\0c", "", ".".repeat(300), "\n"];
  const outcomes = await Promise.all(ids.map((id) => at.give(undefined, id)));
  expect(new Set(outcomes.map(({ file }) => file)).size).toBe(ids.length);
  const names = readdirSync(at.results);
  expect(names).toHaveLength(ids.length);
  expect(names.find((name) => /_{60}/.test(name))).toBe(`1700000000000-Give-${"_".repeat(60)}.txt`);
});

test("a result that cannot be saved is still shown, at both ends", async () => {
  const at = await giving(`START${"x".repeat(100_000)}END`);
  const { fdatasync } = disk;
  disk.fdatasync = () => Promise.reject(new Error("full"));
  const shown = blockText((await at.give().finally(() => (disk.fdatasync = fdatasync))).content);
  expect(readdirSync(at.results)).toEqual([]);
  expect(shown).toContain("could not be saved (full)");
  expect(shown).toContain("START");
  expect(shown).toEndWith("END");
  expect(shown.length).toBeLessThan(defaultPolicy.persistBytes + 200);
});

test("above the character limit a result keeps head and tail of equal length", async () => {
  const at = await giving("ab".repeat(50_000), { persistBytes: 10_000_000 });
  const shown = blockText((await at.give()).content);
  const [head = "", tail = ""] = shown.split(/\n\[\.\.\. \d+ characters cut \.\.\.\]\n/);
  expect(head.length).toBe(tail.length);
  expect(shown.length).toBeLessThanOrEqual(50_000);
  expect(Number(/(\d+) characters/.exec(shown)?.[1])).toBe(100_000 - head.length - tail.length);
});

test("images are kept beside a saved text", async () => {
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
  const image = { type: "image", source } as const;
  const outcome = await (await giving([image, ...toBlocks("x".repeat(40_000))])).give();
  expect(outcome.content).toContainEqual(image);
  expect(outcome.content).toHaveLength(2);
  expect(outcome.bytes).toBe(40_003);
});

test("whatever the text, the preview is bounded, whole characters, and smaller than the result", async () => {
  const unit = fc.constantFrom("a", "é", "汉", "😀", "\n", "word ", "👩‍👩‍👧");
  const parts = fc.tuple(
    fc.array(unit, { minLength: 1, maxLength: 20 }),
    fc.integer({ min: 1, max: 400 }),
  );
  const rooms = await Promise.all(
    [
      { persistBytes: 1, previewChars: 1, previewLines: 1 },
      { persistBytes: 300, previewChars: 200, previewLines: 9 },
      { persistBytes: 2_000, previewChars: 3_000, previewLines: 50 },
    ].map(async (policy) => ({ policy, at: await giving("", policy) })),
  );
  await fc.assert(
    fc.asyncProperty(parts, fc.constantFrom(...rooms), async ([units, times], { policy, at }) => {
      const whole = units.join("").repeat(times);
      const outcome = await at.give(whole);
      const shown = blockText(outcome.content);
      expect(shown.length).toBeLessThanOrEqual(whole.length);
      expect(shown.isWellFormed()).toBe(true);
      if (outcome.file === undefined) expect(shown).toBe(whole);
      else if (shown !== whole) expect(shown.length).toBeLessThanOrEqual(policy.previewChars + 400);
    }),
    { numRuns: 60 },
  );
});

test("of long lines as many characters are shown as fit, a third of them the end", async () => {
  const lines = (count: number, chars: number): string =>
    Array.from({ length: count }, (_, n) => `${n + 1}: `.padEnd(chars, "x")).join("\n");
  const at = await giving("");
  const show = async (whole: string) => blockText((await at.give(whole)).content);
  const shown = await show(lines(300, 900));
  expect(shown.length).toBeWithin(29_000, 30_001);
  const [, head = "", , tail = ""] = shown.split(/\n?(?:Lines|\[\.\.\.) [^\n]*\n/);
  expect(tail.length).toBeGreaterThanOrEqual(Math.floor((head.length + tail.length) / 3));
  // A line that is cut is among those of which the rest is in the file.
  expect(await show("x".repeat(40_000))).toContain("[... the rest of lines 1 to 1 is in the file");
  const numbers = (await show(lines(150, 250))).match(/^\d+(?=:)/gm) ?? [];
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("binary output is named with its size; accents, colors and a few strange bytes are text", async () => {
  const at = await giving("", { persistBytes: 1 });
  const show = async (whole: string) => blockText((await at.give(whole)).content);
  const bytes = Uint8Array.from({ length: 40_960 }, (_, place) => (place * 7_919) % 251);
  expect(await show(new TextDecoder().decode(bytes))).toMatch(
    /^\[Binary output, \d+\.\d KB\. It is in [^\n]*; [^\n]*\]$/,
  );
  const texts = [
    "öäüß €".repeat(500),
    "\x1b[31mred\x1b[0m\n".repeat(99),
    `${"ok\n".repeat(99)}\0\ufffd`,
    "some words\0 ".repeat(20),
  ];
  for (const text of texts) expect(await show(text)).not.toContain("Binary");
});
