import { expect, test } from "bun:test";
import { version } from "../../package.json";
import { quickAnswer } from "../../src/app/quick-answer.ts";
import { helpText } from "../../src/config/help.ts";

test("version and help alone are answered at once, by both of their names", () => {
  for (const flag of ["--version", "-v"])
    expect(quickAnswer([flag])).toBe(`mini-claude ${version}\n`);
  for (const flag of ["--help", "-h"]) expect(quickAnswer([flag])).toBe(helpText);
});

test("anything else is left to the flag parser", () => {
  for (const args of [[], ["hello"], ["--version", "-p"], ["sessions", "--help"]])
    expect(quickAnswer(args)).toBeNull();
});
