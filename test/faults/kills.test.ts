import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killBusySessions } from "./kills.ts";

const root = mkdtempSync(join(tmpdir(), "kills-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** More rounds for a thorough test: KILLS=200 bun test test/faults */
const kills = Number(process.env["KILLS"] ?? 2);

test("a program killed while it works loses nothing it reported, and resumes", async () => {
  let seed = 20_261_121;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const report = await killBusySessions(root, kills, random);
  console.log(
    `${report.kills} kills of a busy session: ${report.acknowledged} entries acknowledged, ${report.lost} lost, ${report.repaired} repairs reported; ${report.cuts} cuts, ${report.persisted} kept results, ${report.checkpoints} checkpoints`,
  );
  expect(report.lost).toBe(0);
  expect(report.acknowledged).toBeGreaterThan(kills);
  expect(report.cuts).toBeGreaterThan(0);
  expect(report.persisted).toBeGreaterThan(0);
});
