/** Every state of the screen, as text. */

import { expect, test } from "bun:test";
import { makeTheme } from "../../../src/ui/theme.ts";
import { drawRows, stageState, states } from "./states.ts";

const widths = [60, 110, 200];
/** The width at which the text of a state is kept; of some, the narrow one too. */
const kept = 110;
const narrow = { width: 60, states: ["question", "context map"] };
const rows = 24;

for (const state of states)
  test(state.name, async () => {
    const on = await stageState(state, makeTheme("none"));
    for (const width of widths) {
      const drawn = await drawRows(on, width, rows);
      // eslint-disable-next-line no-control-regex -- nothing but colors and links
      expect(drawn.join("")).not.toMatch(/\x1b(?!\[[\d;]*m|\]8;;)/);
      for (const row of drawn) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(width);
      const shown = drawn.map((row) => Bun.stripANSI(row).trimEnd());
      expect(shown.join("").trim()).not.toBe("");
      // The transcript above a panel or a question is kept by other states.
      const { overlay, store } = on.controller;
      const isCovered = overlay.question !== null || store.state.panel !== null;
      const text = shown.slice(isCovered ? overlay.origin.row : 0).join("\n");
      const isKept =
        width === kept || (width === narrow.width && narrow.states.includes(state.name));
      if (isKept && !state.grows) expect(text).toMatchSnapshot(`${width} columns`);
    }
    on.end();
  });
