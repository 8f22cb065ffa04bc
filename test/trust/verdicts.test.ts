import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeEverywhere, verdictLab } from "./verdicts.ts";

const lab = await verdictLab();
afterAll(lab.remove);

const rows = readFileSync(join(import.meta.dir, "verdicts.txt"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, verdicts, command] = /^(\w+ +\w+ +\w+) +(\S.*)$/.exec(line) ?? [];
    const isRow = !line.startsWith("#") && verdicts !== undefined && command !== undefined;
    return isRow ? [[command, verdicts.replace(/ +/g, " ")] as const] : [];
  });

test.each(rows)("%s: %s", async (command, verdicts) => {
  expect(await judgeEverywhere(lab, command)).toBe(verdicts);
});
