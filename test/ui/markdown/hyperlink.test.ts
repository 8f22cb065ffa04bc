import { expect, test } from "bun:test";
import { answerLines } from "./answer.ts";

const targets = (line: string) =>
  // eslint-disable-next-line no-control-regex -- the codes of links
  [...line.matchAll(/\x1b\]8;;([^\x07\x1b]+)/g)].map(([, to]) => to);

test("a link is clickable, and its address is shown", () => {
  const [line = ""] = answerLines("See [the docs](https://example.com/a?b=c).", { width: 80 });
  expect(targets(line)).toEqual(["https://example.com/a?b=c"]);
  expect(Bun.stripANSI(line)).toBe("See the docs (https://example.com/a?b=c).");
});

test("every line of a link that wraps leads to the whole address", () => {
  const address = `https://example.com/${"path/".repeat(12)}end`;
  const lines = answerLines(`At <${address}> it is.`, { width: 30 });
  expect(lines.length).toBeGreaterThan(2);
  const linked = lines.flatMap(targets);
  expect(linked.length).toBeGreaterThan(1);
  expect(new Set(linked)).toEqual(new Set([address]));
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
});

test.each([
  "javascript:alert(1)",
  "file:///etc/passwd",
  "vscode://open",
  "https://",
  "not an address",
  `https://example.com/${"x".repeat(3_000)}`,
])("no link leads to %s", (address) => {
  expect(answerLines(`[text](<${address}>)`).flatMap(targets)).toEqual([]);
});

test("an address cannot end its code early", () => {
  const lines = answerLines("[text](<https://example.com/\x07\x1b]0;title\x07é>)");
  expect(lines.flatMap(targets)[0]).toStartWith("https://example.com/");
  expect(lines.flatMap(targets)[0]).toEndWith("%C3%A9");
  expect(lines.join("")).not.toContain("\x1b]0;");
});

test("columns of a table shrink to one cell where the screen is narrow", () => {
  const table = "| abc | def | ghi |\n|---|---|---|\n| 1 | 2 | 3 |";
  const lines = answerLines(table, { width: 9 }).map((line) => Bun.stripANSI(line));
  expect(lines.slice(0, 3)).toEqual(["a │ d │ g", "b │ e │ h", "c │ f │ i"]);
});

test("a table keeps its columns at any width", () => {
  const table =
    "| name | what it does |\n| --- | --- |\n| `wrap` | breaks **words** at the edge, [see](https://example.com) |\n| 漢字 | x |";
  for (const width of [12, 20, 40, 80]) {
    const lines = answerLines(table, { width }).map((line) => Bun.stripANSI(line));
    const bars = lines
      .filter((line) => /[│┼]/.test(line))
      .map((line) => {
        const at = line.search(/[│┼]/);
        return Bun.stringWidth(line.slice(0, at));
      });
    expect(new Set(bars).size).toBe(1);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
  }
});
