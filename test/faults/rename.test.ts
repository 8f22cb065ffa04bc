/**
 * File systems on which a rename fails, or reports a failure after it was done: nothing is lost,
 * and it is reported.
 */

import { afterEach, beforeEach, expect, mock, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import * as fsPromises from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "../folder.ts";
import { sessionFact, userFact } from "../log/facts.ts";

const real = { ...fs };
const realPromises = { ...fsPromises };
/** How renames fail from now on; null: they succeed. */
let fault: { code: string; isDone: boolean } | null = null;

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: rename`), { code, syscall: "rename" });

function renameSync(from: string, to: string): void {
  if (fault === null || fault.isDone) real.renameSync(from, to);
  if (fault !== null) throw failure(fault.code);
}

void mock.module("node:fs", () => ({ ...real, renameSync }));
void mock.module("node:fs/promises", () => ({
  ...realPromises,
  async rename(from: string, to: string) {
    if (fault === null || fault.isDone) await realPromises.rename(from, to);
    if (fault !== null) throw failure(fault.code);
  },
}));

const { disk } = await import("../../src/base/durable.ts");
const { forkLog } = await import("../../src/log/store.ts");
const { Checkpoints } = await import("../../src/log/checkpoints.ts");
const { createLog, openLog } = await import("../../src/log/store.ts");
const { replaceFile } = await import("../../src/base/replace-file.ts");
const { saveSetting } = await import("../../src/config/settings.ts");

const root = testFolder("rename");
beforeEach(() => void spyOn(disk, "rename").mockImplementation(renameSync));
afterEach(() => {
  fault = null;
  mock.restore();
});

const faults = [
  { code: "EXDEV", isDone: false },
  { code: "ESTALE", isDone: true },
];
const folder = (): string => real.mkdtempSync(join(root, "f-"));
const names = (place: string): string[] => real.readdirSync(place).sort();

test.each(faults)("%o: a failed fork is reported, and the original session stays", async (how) => {
  const place = folder();
  const log = createLog(place, "one");
  await log.append(sessionFact());
  await log.append(userFact("kept"));
  fault = how;
  expect(() => forkLog(log.file, null, place, "two")).toThrow("cannot be forked");
  fault = null;
  expect(names(place).filter((name) => name.endsWith(".part"))).toEqual([]);
  await log.append(userFact("and on"));
  await log.close();
  const again = openLog(log.file);
  expect(again.path).toHaveLength(3);
  await again.close();
  // Files that were renamed in spite of the error are complete.
  if (how.isDone) {
    const fork = openLog(join(place, "two.jsonl"));
    expect(fork.path).toHaveLength(2);
    await fork.close();
  }
});

test.each(faults)(
  "%o: a file that an edit could not replace is the old or the new one",
  async (how) => {
    const place = folder();
    const path = join(place, "a.txt");
    real.writeFileSync(path, "old");
    fault = how;
    await expect(replaceFile(path, Buffer.from("new"))).rejects.toMatchObject({ code: how.code });
    expect(real.readFileSync(path, "utf8")).toBe(how.isDone ? "new" : "old");
    expect(names(place)).toEqual(["a.txt"]);
  },
);

test.each(faults)("%o: content that cannot be saved is refused before the edit", async (how) => {
  const place = folder();
  const kept = new Checkpoints(place);
  fault = how;
  const said = await kept.save(Buffer.from("before")).then(() => "kept", String);
  fault = null;
  if (said === "kept") expect(real.readdirSync(place, { recursive: true })).toHaveLength(2);
  else expect(said).toContain("cannot be saved");
  const name = await kept.save(Buffer.from("before"));
  expect(Buffer.from(await kept.load(name)).toString()).toBe("before");
});

test.each(faults)("%o: settings are the old or the new ones, and no other file is left", (how) => {
  const place = folder();
  const file = join(place, "settings.json");
  saveSetting(file, "theme", "dark");
  fault = how;
  expect(() => saveSetting(file, "theme", "light")).toThrow(how.code);
  expect(names(place)).toEqual(["settings.json"]);
  const { theme } = JSON.parse(real.readFileSync(file, "utf8"));
  expect(theme).toBe(how.isDone ? "light" : "dark");
});
