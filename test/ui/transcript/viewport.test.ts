import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { scrollBy, visibleLines, type Source } from "../../../src/ui/transcript/viewport.ts";

/** Items of the given heights. */
const source = (heights: readonly number[]): Source => ({
  count: heights.length,
  lines: (item) => Array.from({ length: heights[item] ?? 0 }, (_, line) => `${item}.${line}`),
});

const texts = (...from: Parameters<typeof visibleLines>): string[] =>
  visibleLines(...from).lines.map(({ text }) => text);

const all = (heights: readonly number[]): string[] =>
  heights.flatMap((height, item) => Array.from({ length: height }, (_, line) => `${item}.${line}`));

const heights = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });

test("following the end shows the last lines", () => {
  fc.assert(
    fc.property(heights, fc.integer({ min: 1, max: 20 }), (items, rows) => {
      expect(texts(source(items), null, rows)).toEqual(all(items).slice(-rows));
    }),
  );
});

test("scrolling moves a window over all lines", () => {
  const moves = fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 20 });
  fc.assert(
    fc.property(heights, fc.integer({ min: 1, max: 20 }), moves, (items, rows, deltas) => {
      const lines = all(items);
      const end = Math.max(0, lines.length - rows);
      let top = end;
      let place: Parameters<typeof scrollBy>[1] = null;
      for (const delta of deltas) {
        top = Math.max(0, Math.min(end, top + delta));
        place = scrollBy(source(items), place, rows, delta);
        expect(texts(source(items), place, rows)).toEqual(lines.slice(top, top + rows));
      }
    }),
  );
});

test("the top line stays in place while more is added below", () => {
  fc.assert(
    fc.property(heights, heights, fc.integer({ min: 1, max: 10 }), (items, more, rows) => {
      const place = scrollBy(source(items), null, rows, -rows);
      if (place === null) return;
      const before = texts(source(items), place, rows);
      expect(texts(source([...items, ...more]), place, rows)).toEqual(before);
    }),
  );
});
