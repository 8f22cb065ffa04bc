import { describe, expect, test } from "bun:test";
import fc from "../../properties.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { answerLines, named } from "./answer.ts";

const theme = makeTheme("dark");

const plain = (source: string, width = 40): string =>
  Bun.stripANSI(answerLines(source, { width, theme }).join("\n"));

// eslint-disable-next-line no-control-regex -- the codes of links
const linkCodes = /\x1b\]8;;[\x20-\x7e]*\x07/g;

test("headings, emphasis, code and links lose their marks", () => {
  expect(plain("## Two\n\nA *word*, `code`, [text](http://a.example/x) and more.")).toBe(
    "Two\n\nA word, code, text (http://a.example/x)\nand more.",
  );
});

test("a link always shows its address", () => {
  expect(plain("[https://good.example](https://evil.example)", 80)).toBe(
    "https://good.example (https://evil.example)",
  );
});

test("nested lists, ordered lists and checkboxes are drawn with their marks", () => {
  expect(plain("- a\n  - b\n    b2\n- [x] c\n\n7. one\n8. two")).toBe(
    "• a\n  • b\n    b2\n☑ c\n\n7. one\n8. two",
  );
});

test("a code block keeps its spaces and wraps at the width", () => {
  expect(plain("```ts\n  const a = 1;\n\n  b\n```", 12)).toBe("▏ts\n▏  const a =\n▏ 1;\n▏\n▏  b");
});

test("tables fit the width and wrap inside cells", () => {
  expect(plain("| a | long one |\n|:--|--:|\n| 1 | some words 漢字 |", 16)).toMatchInlineSnapshot(`
    "a │     long one
    ──┼─────────────
    1 │   some words
      │         漢字"
  `);
});

test("cells of a table are aligned, its head is strong, and headings below the second, too", () => {
  expect(plain("| a | wide | b |\n|:-:|---|--:|\n| mid | x | 12 |\n| wider | y | 3 |")).toBe(
    "  a   │ wide │  b\n──────┼──────┼───\n mid  │ x    │ 12\nwider │ y    │  3",
  );
  const lines = answerLines("# one\n\n## two\n\n### three", { theme: named });
  expect(lines).toEqual(["<heading one>", "", "<heading two>", "", "<strong three>"]);
});

describe("laws", () => {
  const source = fc
    .array(
      fc.constantFrom(
        "# head\n",
        "word ",
        "**bold** `code` ",
        "- item\n",
        "  - nested\n",
        "\n\n",
        "\n",
        "```js\nconst x = 'a';\n",
        "```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "> quote\n",
        "漢字漢字 👩‍👩‍👧 ",
        "x".repeat(50),
        "1. first\n",
        "&#27;[2J ",
        "\x1b[31mred",
        "<b>html</b> ",
        "---\n",
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));

  test("no line exceeds the width", () => {
    fc.assert(
      fc.property(source, fc.integer({ min: 16, max: 120 }), (text, width) => {
        for (const line of answerLines(text, { width, theme })) {
          expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  test("every line resets its own styles and contains no newline", () => {
    fc.assert(
      fc.property(source, (text) => {
        for (const line of answerLines(text, { width: 30, theme })) {
          expect(line).not.toContain("\n");
          // eslint-disable-next-line no-control-regex -- SGR codes
          const codes = [...line.matchAll(/\x1b\[([0-9;]*)m/g)].flatMap(([, list = ""]) =>
            list.replace(/38;5;\d+/g, "38").split(";"),
          );
          if (codes.length > 0)
            expect(["0", "22", "23", "24", "27", "29", "39"]).toContain(codes.at(-1) ?? "");
        }
      }),
    );
  });

  test("lines contain no control sequences except the theme's", () => {
    fc.assert(
      fc.property(source, (text) => {
        const lines = answerLines(text, { width: 30, theme: named });
        expect(/\p{Cc}/u.test(lines.join("").replace(linkCodes, ""))).toBe(false);
      }),
    );
  });
});
