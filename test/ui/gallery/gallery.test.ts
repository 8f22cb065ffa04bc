/** Every state of the screen at four widths, as text. */

import { expect, test } from "bun:test";
import { makeTheme } from "../../../src/ui/theme.ts";
import { drawRows, stageState, states } from "./states.ts";

const widths = [60, 80, 120, 200];

for (const state of states)
  test(state.name, async () => {
    const on = await stageState(state, makeTheme("none"));
    for (const width of widths) {
      const rows = await drawRows(on, width);
      for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(width);
      const text = rows.map((row) => Bun.stripANSI(row).trimEnd()).join("\n");
      if (state.grows) expect(text.trim()).not.toBe("");
      else expect(text).toMatchSnapshot(`${width} columns`);
    }
    on.end();
  });
