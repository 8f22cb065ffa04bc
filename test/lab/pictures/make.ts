/** Makes the README's pictures, all of them: `bun test/lab/pictures/make.ts`. */

import { join } from "node:path";
import { makeTheme } from "../../../src/ui/theme.ts";
import { drawRows, type State, stageState, states, turn } from "../../ui/gallery/states.ts";
import { askAbout } from "../../questions.ts";
import { fourTiers, workday } from "../../ui/workday.ts";
import { recordSession } from "./session.ts";
import { darkInk, picture, toSvg } from "./svg.ts";

const columns = 100;

const budget: State = {
  name: "budget",
  session: turn,
  async act(on) {
    const what =
      "The budget for today is $5.00; $4.93 is spent.\nThe next call costs about $0.12, without its answer.\n" +
      "Allow once: up to $5.00 more.";
    const rule = "no budget for today in this session";
    const ask = {
      tool: "Budget",
      title: "Go on past the budget?",
      detailKind: "text",
      rule,
    } as const;
    await on.tell({ type: "ask", ask: askAbout(what, ask) });
    on.wait(5_000);
  },
};

/** The states that the README shows, with the rows that they need. */
const shown = {
  compact: 28,
  compacted: 44,
  lens: 30,
  rules: 26,
  "unused items": 28,
  budget: 20,
};

for (const [name, rows] of Object.entries(shown)) {
  const state = [...states, budget].find((one) => one.name === name);
  if (!state) throw new Error(`There is no state ${name}.`);
  const on = await stageState(state, makeTheme("dark", "true"), true);
  const svg = await picture(await drawRows(on, columns, rows), columns, darkInk);
  await Bun.write(join(import.meta.dir, `${name.replace(" ", "-")}.svg`), svg);
  on.end();
}

// A real session in which every tier cuts.
const day = await workday(200_000);
await fourTiers(day, async (tier) => {
  const name = tier === "stale" ? "tiers" : tier;
  await Bun.write(join(import.meta.dir, `${name}.svg`), toSvg(day.pty, darkInk));
});
await day.close();

// A window of a million tokens, half full, of which nothing was cut.
const wide = await workday(1_000_000);
for (let part = 0; part < 6; part++) {
  await wide.ask("logs");
  await wide.end();
}
await Bun.write(join(import.meta.dir, "million.svg"), toSvg(wide.pty, darkInk));
await wide.close();

await Bun.write(join(import.meta.dir, "session.svg"), await recordSession());
process.exit(0);
