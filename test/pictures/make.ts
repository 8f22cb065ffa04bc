/** Makes the README's pictures: `bun test/pictures/make.ts`. */

import { join } from "node:path";
import { makeTheme } from "../../src/ui/theme.ts";
import { rowsOf, stageOf, states } from "../ui/gallery/states.ts";
import { turns, workday } from "../ui/workday.ts";
import { darkInk, picture, toSvg } from "./svg.ts";

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
  const on = await stageOf(state, makeTheme("dark", "true"));
  const svg = await picture(await rowsOf(on, columns, rows), columns, darkInk);
  await Bun.write(join(import.meta.dir, `${name.replace(" ", "-")}.svg`), svg);
  on.end();
}

// All four tiers, in a real session.
const day = await workday();
for (let turn = 0; turn <= turns; turn++) {
  await day.ask(turn);
  const name = turn === turns ? "summary.svg" : turn === turns - 2 ? "tiers.svg" : null;
  if (name === null) continue;
  await day.pty.press("alt+up");
  await day.pty.waitFor(`❯ Part ${turn}`);
  await Bun.write(join(import.meta.dir, name), toSvg(day.pty, darkInk));
  await day.pty.press("ctrl+end");
}
await day.end();
process.exit(0);
