/** Which of two places is the better answer, one reason at a time. */

import { expect, test } from "bun:test";
import { rank } from "../../../src/apps/offline/rank.ts";
import { wishOf } from "../../../src/apps/offline/wish.ts";
import { keywordsOf } from "../../../src/apps/offline/words.ts";

test.each([
  [
    "a definition before a use",
    "where is the kettle?",
    "b.ts: function kettle() {",
    "a.ts: boil(kettle);",
  ],
  [
    "a use before an import",
    "where is the kettle?",
    "b.ts: boil(kettle);",
    'a.ts: import { kettle } from "./k.ts";',
  ],
  [
    "source before tests",
    "where is the kettle?",
    "src/b.ts: const kettle = 1;",
    "test/a.ts: const kettle = 1;",
  ],
  [
    "tests where tests are asked for",
    "where is the kettle tested?",
    "test/b.ts: use(kettle)",
    "src/a.ts: const kettle = 1;",
  ],
  ["code before prose", "where is the kettle?", "b.ts: boil(kettle);", "a.md: the kettle boils"],
  [
    "prose where it is asked for",
    "where is the kettle documented?",
    "b.md: the kettle boils",
    "a.ts: boil(kettle);",
  ],
  ["both words before one", "where is the tea kettle?", "b.ts: teaKettle()", "a.ts: kettle()"],
  [
    "the very name before a longer one",
    "where is the kettle?",
    "b.ts: class Kettle {",
    "a.ts: class KettleLidFactory {",
  ],
  [
    "the screen where something is shown",
    "where is the kettle shown?",
    "src/ui/b.ts: const kettle = 1;",
    "src/io/a.ts: const kettle = 1;",
  ],
  [
    "components where something is drawn",
    "where is the kettle drawn?",
    "src/b.tsx: const kettle = 1;",
    "src/a.ts: const kettle = 1;",
  ],
  [
    "the file of that name",
    "where is the kettle?",
    "kettle.ts: boil(kettle)",
    "a.ts: boil(kettle)",
  ],
])("%s", (_reason, question, better, worse) => {
  const matches = [worse, better].map((one) => {
    const [path = "", text = ""] = one.split(": ");
    return { path, line: 7, text };
  });
  const [first] = rank(matches, keywordsOf(question), wishOf(question));
  expect(first?.path).toBe(better.split(": ")[0]);
});
