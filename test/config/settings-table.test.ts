import { expect, test } from "bun:test";
import { otherVariables, settingsFile, settingsList } from "./settings-table.ts";

const manual = await Bun.file(settingsFile).text();

test("the manual lists every setting as it is declared; bun test/config/settings-table.ts writes it", () => {
  expect(manual.slice(manual.indexOf("\n## ") + 1)).toBe(settingsList());
});

test("the manual names the variables of other tools that are read", () => {
  const [, listed = ""] = /^Also read: ([^.]+)\./m.exec(manual) ?? [];
  expect(listed.match(/\w{5,}/g)?.toSorted()).toEqual(otherVariables().toSorted());
});
