import { expect, test } from "bun:test";
import { testFolder } from "../folder.ts";
import { killBusySessions } from "./kills.ts";

const root = testFolder("kills");

/** More rounds for a thorough test: KILLS=200 bun test test/faults */
const kills = Number(process.env["KILLS"] ?? 1);

test("a program killed while it works loses nothing it reported, and resumes", async () => {
  let seed = 20_261_135;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const report = await killBusySessions(root, kills, random);
  expect(report.lost).toBe(0);
  expect(report.acknowledged).toBeGreaterThan(kills);
  expect(report.cuts).toBeGreaterThan(0);
  expect(report.persisted).toBeGreaterThan(0);
});
