/**
 * Under the default policy, all four tiers act in an ordinary session, each with its reason on the
 * screen.
 */

import { expect, test } from "bun:test";
import { turns, workday } from "./workday.ts";

test("every tier acts and says why; the summary comes last", async () => {
  const { api, pty, ask, end } = await workday();
  const seen: string[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    await ask(turn);
    // Up to the question, over the results of the turn.
    await pty.press("alt+up");
    const screen = await pty.waitFor(`❯ Part ${turn}`);
    for (const [line] of screen.matchAll(/── ▸ .*/g)) if (!seen.includes(line)) seen.push(line);
    await pty.press("ctrl+end");
    await pty.waitFor(`Part ${turn} is done.`);
  }
  const why = "keeping it costs more than cutting it";
  const firstOf = (what: RegExp): number => seen.findIndex((line) => what.test(line));
  const [budget = -1, snip = -1, microcompact = -1] = ["trimmed", "dropped", "cleared"].map(
    (done) => firstOf(new RegExp(`${done} · .* · ${why}`)),
  );
  const summary = firstOf(/messages summarized · .* · reading it costs more than a summary/);
  expect(Math.min(budget, snip, microcompact), seen.join("\n")).toBeGreaterThanOrEqual(0);
  expect(summary, seen.join("\n")).toBeGreaterThan(Math.max(budget, snip, microcompact));
  expect(api.refusals).toEqual([]);
  await end();
});
