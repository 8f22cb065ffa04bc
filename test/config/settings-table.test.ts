import { expect, test } from "bun:test";
import { join } from "node:path";
import { otherVariables, readmeTable, settingsTable } from "./settings-table.ts";

test("the README lists every setting as it is declared; bun test/config/settings-table.ts writes it", async () => {
  expect(await readmeTable()).toEqual(settingsTable().map((line) => line.trim()));
});

test("the README names the variables of other tools that are read", async () => {
  const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
  const [, listed = ""] = /^Also read: ([^.]+)\./m.exec(readme) ?? [];
  expect(listed.match(/\w{5,}/g)?.toSorted()).toEqual(otherVariables().toSorted());
});
