import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { answerLines, plain, streamedLines } from "./answer.ts";

const streamed = (text: string, size: number): string[] => plain(streamedLines(text, size));

const whole = (text: string): string[] => plain(answerLines(text));

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
  `\`\`\`js\n${"a = 1;\n\n".repeat(70)}\`\`\`\n`,
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
      fc.array(block, { maxLength: 8 }),
      fc.integer({ min: 10, max: 200 }),
      (parts, size) => {
        const text = parts.join("");
        expect(streamed(text, size)).toEqual(whole(text));
      },
    ),
    { numRuns: 50 },
  );
});

test("what looks like a block in HTML is not a block", () => {
  const text = "Before.\n\n<details>\n- raw\n# raw\n</details>\n\nAfter.\n";
  expect(streamed(text, 1)).toEqual(whole(text));
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
    expect(streamed(text, 1)).toEqual(whole(text));
});

test("a closing fence is not shown while it is written", () => {
  expect(streamed("```ts\na\n``", 1)).toEqual(streamed("```ts\na\n```\n", 1));
});
