/** In an ordinary session that is never idle, the window fills: each cut says why on the screen. */

import { expect, test } from "bun:test";
import { turns, workday } from "./workday.ts";

test("stale results are dropped, later the conversation is summarized, and both say why", async () => {
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
  const firstOf = (what: RegExp): number => seen.findIndex((line) => what.test(line));
  const dropped = firstOf(/stale results? dropped · .* · \d+ % used/);
  const summary = firstOf(/messages summarized · .* · \d+ % used/);
  expect(dropped, seen.join("\n")).toBeGreaterThanOrEqual(0);
  expect(summary, seen.join("\n")).toBeGreaterThan(dropped);
  expect(api.refusals).toEqual([]);
  await end();
});
