/** What a summary shows of a file. */

import { expect, test } from "bun:test";
import { excerpt, readEditHistory } from "../../../src/context/summary/active-files.ts";
import { calls, gives, reads, stamp, user, makeView } from "./say.ts";

const lines = Array.from({ length: 900 }, (_, index) => `const line${index} = ${index};`);
const whole = lines.join("\n");
const largeChars = 1e6;

const edits = (id: string, text: string, file_path = "/w/a.ts") => [
  calls(id, "Edit", { file_path, old_string: "gone", new_string: text }),
  gives(id, "Edit", "changed", { stamps: [stamp("/w/a.ts", "write")] }),
];
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => reads(`o${index}`, `/o${index}`, "x")).flat();

test("an active file is shown whole", () => {
  const work = readEditHistory(makeView(user("a"), ...reads("t", "/w/a.ts", whole)));
  const shown = excerpt("/w/a.ts", whole, largeChars, work);
  expect(shown).toEqual({ text: whole, isPart: false });
});

test.each(["/w/a.ts", "a.ts"])(
  "of %s, not used for a while, only the edited places are shown",
  (named) => {
    const work = readEditHistory(
      makeView(user("a"), ...edits("t", "const line500 = 500;", named), ...others(100)),
    );
    const shown = excerpt("/w/a.ts", whole, largeChars, work);
    expect(shown?.isPart).toBe(true);
    expect(shown?.text.split("\n")[0]).toBe("... line 496:");
    expect(shown?.text).toContain("const line500 = 500;");
    expect(shown?.text).toContain("const line505 = 505;");
    expect(shown?.text).not.toContain("const line506 = 506;");
  },
);

test("a file that was only read, long ago, is not shown", () => {
  const work = readEditHistory(
    makeView(user("a"), ...reads("t", "/w/a.ts", whole), ...others(100)),
  );
  expect(excerpt("/w/a.ts", whole, largeChars, work)).toBeNull();
});

test.each([
  ["read", 80, true],
  ["read", 81, false],
  ["edited", 80, true],
  ["edited", 81, false],
])("a short file that was %s %d calls ago is shown whole: %p", (how, ago, isWhole) => {
  const text = "const a = 1;";
  const use = how === "read" ? reads("t", "/w/a.ts", text) : edits("t", text);
  const work = readEditHistory(makeView(user("a"), ...use, ...others(ago)));
  expect(excerpt("/w/a.ts", text, largeChars, work)?.isPart === false).toBe(isWhole);
});

test("a large file is shown as its outline and the edited places", () => {
  const work = readEditHistory(makeView(user("a"), ...edits("t", "const line500 = 500;")));
  const shown = excerpt("/w/a.ts", whole, 5_000, work);
  expect(shown?.text).toContain("1: const line0 = 0;");
  expect(shown?.text).toContain("const line500 = 500;");
});

test.each([
  [159, true],
  [160, false],
])("the edits of a large file are shown with %d calls after them: %p", (later, isShown) => {
  const edit = edits("t", "const line500 = 500;");
  const work = readEditHistory(makeView(user("a"), ...edit, ...others(later)));
  const text = excerpt("/w/a.ts", whole, 5_000, work)?.text ?? "";
  expect(text.includes("const line500 = 500;")).toBe(isShown);
});
