/** On the real screen, with the default settings: when each tier cuts, and what its line says. */

import { expect, test } from "bun:test";
import { fourTiers, workday } from "./workday.ts";

test("in a window of 200,000 all four tiers cut in one session, and each says why", async () => {
  const day = await workday(200_000);
  const lines: string[] = [];
  await fourTiers(day, (tier, line) => void lines.push(`${tier}: ${line}`));
  const [clear, trim, stale, summary] = lines;
  expect(clear).toMatch(/clear: .*old results cleared .*\$\d.* · the cache is cold/);
  expect(trim).toMatch(/trim: .*large results trimmed .*\$\d.* · [5-8]\d % used/);
  expect(stale).toMatch(/stale: .*stale results? dropped .*\$\d.* · [6-8]\d % used/);
  expect(summary).toMatch(/summary: .*turns summarized .*\$\d.* · [89]\d % used/);
  expect(day.api.refusals).toEqual([]);
  await day.close();
});
