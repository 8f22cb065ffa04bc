import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { growingMarkdown } from "../../../src/ui/markdown/growing.ts";
import { layoutMarkdown } from "../../../src/ui/markdown/layout.ts";
import { makeTheme, type Theme } from "../../../src/ui/theme.ts";

const theme = makeTheme("dark");

const trimmed = (lines: readonly string[]): string[] => lines.map((line) => line.trimEnd());

/** The last lines of a text that arrived in pieces of `size` characters. */
function streamed(text: string, size: number): string[] {
  const growing = growingMarkdown(60, theme);
  for (let end = 1; end < text.length; end += size) growing.lines(text.slice(0, end));
  return trimmed(growing.lines(text));
}

const block = fc.constantFrom(
  "# head\n",
  "A paragraph of `code`\nand **bold** words.\n",
  "- item\n",
  "* other item\n",
  "+ item of *two*\n  lines\n",
  "- item\n  - nested\n  - nested too\n",
  "- item\n\n  its second paragraph\n",
  "- code in an item\n  ```js\n  const a = 1;\n\n  b\n  ```\n",
  "1. first\n",
  "1. first again\n",
  "\n7. seventh\n   1. nested\n",
  "- [x] done\n",
  "```ts\nconst a = `two\n  \n\nlines ${b}`; /* and\n a comment */ return 1;\n\n```\n",
  "~~~~\n```\nno end\n~~~\n~~~~\n",
  "```\n```\n",
  "  ```py\n  x = 1 # one\n    y\n  ```\n",
  "| a | b |\n|---|--:|\n| 1 | 漢字 |\n",
  "> quote\n> of two lines\n",
  "---\n",
  "***\n",
  "\nTitle\n=====\n",
  "\nTitle\n---\n",
  "12\\. no item\n",
  "\n",
  "\n\n",
);

test("text streamed in pieces ends with the same lines as text laid out at once", () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 12 }),
      fc.integer({ min: 1, max: 30 }),
      (parts, size) => {
        const text = parts.join("");
        expect(streamed(text, size)).toEqual(trimmed(layoutMarkdown(text, 60, theme)));
        const growing = growingMarkdown(60, theme);
        for (let end = 1; end < text.length; end += size) growing.lines(text.slice(0, end));
        growing.lines(text);
        const complete = layoutMarkdown(text, 60, theme, growing.code);
        expect(complete).toEqual(layoutMarkdown(text, 60, theme));
      },
    ),
    { numRuns: 200 },
  );
});

test("what looks like a block in HTML is not a block", () => {
  const text = "Before.\n\n<details>\n- raw\n# raw\n</details>\n\nAfter.\n";
  expect(streamed(text, 1)).toEqual(trimmed(layoutMarkdown(text, 60, theme)));
});

test("an unfinished last line is shown", () => {
  for (const text of [
    "a\n\nwor",
    "# he",
    "- a\n- it",
    "```ts\na\nconst b",
    "a\n\n```t",
    "1. a\n1. b",
  ])
    expect(streamed(text, 1)).toEqual(trimmed(layoutMarkdown(text, 60, theme)));
});

test("a closing fence is not shown while it is written", () => {
  expect(streamed("```ts\na\n``", 1)).toEqual(streamed("```ts\na\n```\n", 1));
});

/** A theme that counts how often it paints. */
function counting(): { theme: Theme; painted(): number } {
  let painted = 0;
  const paint: Theme["paint"] = (_, text) => {
    painted++;
    return text;
  };
  return { theme: { name: "none", colors: 256, props: () => ({}), paint }, painted: () => painted };
}

for (const [what, part] of [
  ["paragraphs", "A paragraph with `code` in it.\n\n"],
  ["headings and lists", "## Head\n- an item with `code`\n"],
  ["code blocks", "```ts\nconst a = 1;\n```\n"],
] as const)
  test(`complete ${what} are not laid out again`, () => {
    const { theme: counted, painted } = counting();
    const growing = growingMarkdown(60, counted);
    const text = part.repeat(400);
    growing.lines(text);
    const before = painted();
    for (let n = 1; n <= 50; n++) growing.lines(`${text}\n\nLast ${"word ".repeat(n)}`);
    // Each piece repaints at most the last block.
    expect(painted() - before).toBeLessThan(500);
  });

test("complete lines of code are not laid out again", () => {
  const { theme: counted, painted } = counting();
  const growing = growingMarkdown(60, counted);
  const text = "```ts\n" + "const a = 1;\n".repeat(2_000);
  growing.lines(text);
  const before = painted();
  for (let n = 1; n <= 50; n++) growing.lines(`${text}const b = ${"1".repeat(n)}`);
  expect(painted() - before).toBeLessThan(500);
});

test("code that was streamed is not laid out again when its text is complete", () => {
  for (const [end, more] of [
    ["", 2],
    ["const b = 1;", 4],
    ["```\n\nThat is all.", 2],
  ] as const) {
    const { theme: counted, painted } = counting();
    const growing = growingMarkdown(60, counted);
    const text = `\`\`\`ts\n${"const a = 1;\n".repeat(200)}${end}`;
    growing.lines(text);
    const before = painted();
    const complete = layoutMarkdown(text, 60, counted, growing.code);
    expect(painted() - before).toBeLessThanOrEqual(more);
    expect(complete).toEqual(layoutMarkdown(text, 60, counted));
    // Another width is laid out by itself.
    expect(layoutMarkdown(text, 6, counted, growing.code)).toEqual(
      layoutMarkdown(text, 6, counted),
    );
  }
});
