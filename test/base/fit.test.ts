import { expect, test } from "bun:test";
import { fit, fitHelp } from "../../src/base/fit.ts";
import { runInProcess } from "../in-process.ts";

const place = { env: {}, project: "/" };
const { out: helpText } = await runInProcess(place, ["--help"]);
const words = (text: string): string[] => text.split(/\s+/);

test.each([50, 60, 80])("at %p columns no line is longer, and no word is broken", (columns) => {
  const fitted = fitHelp(helpText, { isTTY: true, columns });
  for (const line of fitted.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
  expect(words(fitted)).toEqual(words(helpText));
});

test("a description stays in its column, or goes below its name", () => {
  const text = "  -w, --worktree NAME   work in a git worktree of that name, created if needed\n";
  expect(fitHelp(text, { isTTY: true, columns: 60 })).toBe(
    "  -w, --worktree NAME   work in a git worktree of that name,\n                        created if needed\n",
  );
  expect(fitHelp(text, { isTTY: true, columns: 50 })).toBe(
    "  -w, --worktree NAME\n      work in a git worktree of that name, created\n      if needed\n",
  );
  expect(fitHelp(text, { isTTY: true, columns: 0 })).toBe(fitHelp(text, { isTTY: true }));
  expect(fitHelp(text, { isTTY: false })).toBe(text);
  const far = `  --flag${" ".repeat(40)}fits\n`;
  expect(fitHelp(far, { isTTY: true, columns: 60 })).toBe(far);
});

test.each(["--help", "sessions --help"])("the program fits %s to the terminal", async (args) => {
  const terminal = { isTerminal: true, columns: 60 };
  const { out } = await runInProcess(place, args.split(" "), terminal);
  expect(out).toMatch(/\n {6}\S/);
});

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["漢字漢", 4, "漢…"],
  ["漢字漢", 5, "漢字…"],
  ["abc", 0, ""],
])("%j in %d columns is %j", (text, width, shown) => {
  expect(fit(text, width)).toBe(shown);
});
