import { expect, test } from "bun:test";
import { NameTable } from "../../../src/commands/import/name-table.ts";

test("a number is found by its name, however many there are", () => {
  const table = new NameTable();
  const count = 20_000;
  for (let n = 0; n < count; n++) table.set(`name ${n}`, n);
  for (let n = 0; n < count; n++) expect(table.get(`name ${n}`)).toBe(n);
  expect(table.get("another name")).toBeUndefined();
  expect(table.has("another name")).toBe(false);
});

test("a name that is set again has the later number, and takes no more memory", () => {
  const table = new NameTable();
  for (let n = 0; n < 10_000; n++) table.set("", n);
  expect(table.get("")).toBe(9_999);
  expect(table.has("")).toBe(true);
});
