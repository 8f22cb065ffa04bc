/** Makes the README's pictures: `bun test/pictures/make.ts`. */

import { join } from "node:path";
import { themeOf } from "../../src/tui/theme.ts";
import { rowsOf, stageOf, states } from "../tui/gallery/states.ts";
import { darkInk, picture } from "./svg.ts";

const columns = 100;

/** The states that the README shows, with the rows that they need. */
const shown = {
  start: 16,
  turn: 38,
  question: 24,
  compact: 28,
  compacted: 44,
  "context map": 32,
  lens: 30,
};

for (const [name, rows] of Object.entries(shown)) {
  const state = states.find((one) => one.name === name);
  if (!state) throw new Error(`There is no state ${name}.`);
  const on = await stageOf(state, themeOf("dark"));
  const svg = await picture(await rowsOf(on, columns, rows), columns, darkInk);
  await Bun.write(join(import.meta.dir, `${name.replace(" ", "-")}.svg`), svg);
  on.end();
}
process.exit(0);
