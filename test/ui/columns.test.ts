import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { inColumns, lineWidth, plainText } from "../../src/ui/line.ts";

const block = fc.integer({ min: 1, max: 30 });

test("blocks stay whole, in order and within the width, in as many columns as fit", () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 8 }),
      fc.integer({ min: 10, max: 260 }),
      (sizes, columns) => {
        const blocks = sizes.map((size, at) =>
          Array.from({ length: size }, (_, row) => `${at}.${row}`),
        );
        const lines = inColumns(columns, () => blocks);
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
        const words = lines.flatMap((line) => plainText(line).split(/ +/)).filter(Boolean);
        expect(words.toSorted()).toEqual(blocks.flat().toSorted());
        for (const rows of blocks)
          expect(words.filter((word) => rows.includes(word))).toEqual(rows);
      },
    ),
  );
});

test("a wide screen has three columns of about the same height", () => {
  const block = Array.from({ length: 10 }, () => "line");
  const lines = inColumns(200, () => Array.from({ length: 6 }, () => block));
  expect(lines).toHaveLength(21);
  expect(inColumns(120, () => Array.from({ length: 6 }, () => block))).toHaveLength(32);
  expect(inColumns(60, () => Array.from({ length: 6 }, () => block))).toHaveLength(65);
});
