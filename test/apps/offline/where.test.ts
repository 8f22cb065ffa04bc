/** Questions about this very repository: the ranking must be good where nothing was made for it. */

import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workshop } from "./workshop.ts";

const checkout = join(import.meta.dir, "..", "..", "..");
const results = await mkdtemp(join(tmpdir(), "where-"));
afterAll(() => rm(results, { recursive: true, force: true }));

test.each([
  ["where is the context meter drawn?", /^src\/tui\/meter\/\S+\.tsx$/, /function ContextMeter/],
  ["where is planAnswer defined?", /^src\/apps\/offline\/planner\.ts$/, /function planAnswer/],
  ["where is the log appended?", /^src\/log\//, /append/],
  ["where are large results persisted?", /^src\/tools\/results\.ts$/, /function persist/],
  ["where is microcompact decided?", /^src\/context\/tiers\/microcompact\.ts$/, /microcompact/],
  ["find the glob tool", /^src\/tools\/search\/glob\.ts$/, /globTool/],
])("%s", async (question, path, text) => {
  const shop = await workshop(checkout, results);
  const answer = await shop.ask(question);
  await shop.close();
  const [, file = "", number = ""] = /^\*\*`(\S+):(\d+)`\*\* is the best match/m.exec(answer) ?? [];
  expect(file).toMatch(path);
  const lines = (await Bun.file(join(checkout, file)).text()).split("\n");
  expect(lines[Number(number) - 1]).toMatch(text);
  expect(shop.calls.length).toBeLessThan(12);
});
