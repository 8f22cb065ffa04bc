/** On the real screen, with the default settings: when each tier cuts, and what its line says. */

import { expect, test } from "bun:test";
import { fourTiers, workday } from "./workday.ts";

test("in a window of 200,000 all four tiers cut in one session, and each says why", async () => {
  const day = await workday(200_000);
  const lines: string[] = [];
  await fourTiers(day, (tier, line) => void lines.push(`${tier}: ${line}`));
  const [clear, trim, stale, summary] = lines;
  expect(clear).toMatch(/clear: .*old results cleared .* freed\) · the cache is cold/);
  expect(trim).toMatch(/trim: .*large results trimmed .*\$\d.* · 7\d % used/);
  expect(stale).toMatch(/stale: .*stale results? dropped .*\$\d.* · [6-8]\d % used/);
  expect(summary).toMatch(/summary: .*turns summarized .*\$\d.* · 8\d % used/);
  expect(day.api.refusals).toEqual([]);
  await day.close();
});

test("in a window of 1,000,000 nothing is cut below 490,000 while the cache is hot", async () => {
  const day = await workday(1_000_000);
  let used = 0;
  while (used < 420) {
    expect(await day.ask("logs")).toEqual([]);
    await day.end();
    used = Number(/(\d+)k of 980k/.exec(day.pty.screen())?.[1]);
  }
  expect(used).toBeLessThan(490);
  expect(day.api.refusals).toEqual([]);
  await day.close();
});
