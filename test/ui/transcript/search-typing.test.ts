import { expect, test } from "bun:test";
import { Builder, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

/** Thirty answers; every third is about a fox, and the last of these about two. */
function session(): Stage {
  const built = new Builder();
  for (let n = 0; n < 30; n++) {
    const what = n % 3 === 0 ? "a fox" : "a hen";
    built.turn(`question ${n}`, `answer ${n}: ${what}${n === 27 ? `\n\nand ${what}` : ""}`);
  }
  return stage(built);
}

const bar = ({ controller }: Stage, columns = 80): string =>
  [controller.transcript.frame(columns, 20).foot ?? ""]
    .flat()
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("");

const shown = ({ transcript }: Stage): string => transcript(80, 20).join("\n");

test("hits are counted and shown while the text is typed", async () => {
  const on = session();
  shown(on);
  await on.press("<ctrl+f>", "fo");
  expect(bar(on)).toContain(" · 1 of 10");
  expect(shown(on)).toContain("answer 27: a fox");
  await on.press("<up>", "<up>");
  expect(bar(on)).toContain(" · 2 of 10");
  expect(shown(on)).toContain("answer 24: a fox");
  await on.press("<down>");
  expect(bar(on)).toContain(" · 1 of 10");
  await on.press("<backspace>");
  expect(bar(on)).toContain("/f▌ · ");
  await on.press("ul");
  expect(bar(on)).toContain("no matches");
  await on.press("<ctrl+u>", "fox", "<enter>", "n", "n", "n");
  expect(bar(on)).toContain(" · 3 of 10");
  await on.press("N");
  expect(bar(on)).toContain(" · 2 of 10");
  await on.press("<escape>", "/search hen\r");
  expect(bar(on)).toContain(" · 1 of 20");
});

test("Esc returns to where the search began", async () => {
  const on = session();
  shown(on);
  await on.press("<pageup>");
  const before = shown(on);
  await on.press("<ctrl+f>", "answer 3:");
  expect(shown(on)).toContain("answer 3: a fox");
  await on.press("<escape>", "<escape>");
  expect(shown(on)).toBe(before);
  expect(bar(on)).toBe("▼ more below · End");
});

test("a long history is searched in pieces, and the count says so", async () => {
  const built = new Builder();
  built.user("needle first");
  for (let n = 0; n < 8; n++) {
    built.user(`needle ${"x".repeat(1_500_000)}`);
    built.answer([say("needle")]);
  }
  const on = stage(built);
  shown(on);
  on.controller.transcript.press({ type: "key", chord: "ctrl+f", text: "" });
  on.controller.transcript.search.press({ type: "paste", text: "needle" });
  expect(bar(on)).toMatch(/1 of \d+\+/);
  while (bar(on).includes("+")) await on.settle();
  expect(bar(on)).toContain("1 of 17");
});

test("the number of matches is shown on a narrow screen, too", async () => {
  const on = session();
  shown(on);
  await on.press("<ctrl+f>", "answer 0: a fox", "<enter>", "n");
  expect(bar(on, 60)).toEndWith("1 of 1");
});
