/** Every state of the screen, as text. */

import { expect, test } from "bun:test";
import { makeTheme } from "../../../src/ui/theme.ts";
import { drawRows, stageState, states } from "./states.ts";

/** Those whose text is kept, and others that it must fit. */
const [kept, others] = [
  [60, 110],
  [80, 200],
];
const rows = 24;

for (const state of states)
  test(state.name, async () => {
    const on = await stageState(state, makeTheme("none"));
    for (const width of [...kept, ...others]) {
      const drawn = await drawRows(on, width, rows);
      for (const row of drawn) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(width);
      const text = drawn.map((row) => Bun.stripANSI(row).trimEnd()).join("\n");
      expect(text.trim()).not.toBe("");
      if (kept.includes(width) && !state.grows) expect(text).toMatchSnapshot(`${width} columns`);
    }
    on.end();
  });
