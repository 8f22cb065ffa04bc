import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const heights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 });

const moves = fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 20 });

test("scrolling moves a window over all lines, and the end is followed", () => {
  fc.assert(
    fc.property(heights, fc.integer({ min: 2, max: 20 }), moves, (items, rows, deltas) => {
      const built = new Builder();
      for (const [item, height] of items.entries()) {
        const lines = Array.from({ length: height }, (_, line) => `${item}.${line}`);
        built.add({ type: "note", kind: "info", text: lines.join("\n") });
      }
      const on = stage(built, { isKept: true });
      const { transcript } = on.controller;
      const all = transcript.frame(80, 1_000).lines;
      expect(all).toHaveLength(items.reduce((sum, height) => sum + height, 0));
      expect(transcript.frame(80, rows).lines).toEqual(all.slice(-rows));
      // The last row says that there is more.
      const page = rows - 1;
      const end = Math.max(0, all.length - page);
      let top = end;
      for (const delta of deltas) {
        top = Math.max(0, Math.min(end, top + delta));
        transcript.scroll(delta);
        const wanted = top === end ? all.slice(-rows) : all.slice(top, top + page);
        expect(transcript.frame(80, rows).lines).toEqual(wanted);
        expect(transcript.followsEnd).toBe(top === end);
      }
      on.end();
    }),
    { numRuns: 50 },
  );
});
