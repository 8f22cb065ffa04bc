import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeEverywhere, verdictLab, verdictWord } from "./verdicts.ts";

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

test.each(["git fetch", "git ls-remote origin", "gh pr view 1"])(
  "behind a proxy of the machine, which reaches every host, %s asks",
  async (command) => {
    for (const mode of ["default", "auto"] as const) {
      const verdict = await lab.judge(command, lab.situation(mode, { usesProxy: true }));
      expect(verdictWord(verdict)).toBe("asks");
    }
  },
);
