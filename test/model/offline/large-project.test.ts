/** Numbers over 999, which the tools write with a comma, as the offline model reads them. */

import { expect, test } from "bun:test";
import { morePaths } from "../../../src/model/offline/results.ts";
import { openSession } from "./session.ts";

test("counts the lines of a project with more files than one search lists", async () => {
  const line = "export const one = 1;\n";
  const files = Array.from({ length: 130 }, (_, index) => [`src/${index}.ts`, line.repeat(10)]);
  await using session = await openSession(Object.fromEntries(files));
  const { text } = await session.ask("how many lines of code are there?");
  expect(text).toContain("1,300 lines of code in 130 files");
});

test("says in how many places a text was replaced", async () => {
  await using session = await openSession({ "a.txt": "old\n".repeat(1_200) });
  const { text } = await session.ask('replace all "old" with "new" in a.txt');
  expect(text).toContain("in 1,200 places");
});

test("counts the paths that a search did not list", () => {
  expect(morePaths("a.ts\n[1,441 more files match.]")).toBe(1_441);
});
