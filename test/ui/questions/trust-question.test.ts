import { expect, test } from "bun:test";
import { press } from "../../../src/ui/keys.ts";
import { quietMs } from "../../../src/ui/questions/question.ts";
import { trustQuestion, type TrustSubject } from "../../../src/ui/questions/ask-trust.ts";
import { drawOverlay } from "../draw-overlay.ts";

const key = (chord: string) => press(chord, chord.length === 1 ? chord : "");

const drawn = (
  question: ReturnType<typeof trustQuestion>,
  columns: number,
  rows: number,
): readonly string[] => drawOverlay(question.view(columns, rows), columns);

const about = (folder: string, more: Partial<TrustSubject> = {}): TrustSubject => ({
  folder,
  asks: [],
  isTrusted: false,
  offersAuto: false,
  ...more,
});

/** A question that has been shown long enough to accept answers. */
function ready() {
  const question = trustQuestion(about("/work/app"), 0);
  question.tick(quietMs);
  return question;
}

test.each([
  ["y", "trusted"],
  ["n", "untrusted"],
  ["enter", "untrusted"],
  ["escape", "untrusted"],
  ["a", null],
  ["Y", null],
  ["space", null],
  ["tab", null],
] as const)("%s gives %p", (chord, answer) => {
  expect(ready().press(key(chord), quietMs)).toBe(answer);
});

test("arrows select; No is the default", () => {
  const question = ready();
  expect(drawn(question, 80, 20).join("\n")).toContain("❯ No, continue without them (n)");
  expect(question.press(key("down"), quietMs)).toBeNull();
  expect(drawn(question, 80, 20).join("\n")).toContain("❯ Yes, trust them (y)");
  expect(question.press(key("enter"), quietMs)).toBe("trusted");
});

test("keys typed as it appears do not answer, and pastes never do", () => {
  const question = trustQuestion(about("/work/app"), 0);
  let now = 0;
  for (const chord of ["y", "enter", "n", "y"]) {
    now += quietMs - 1;
    expect(question.press(key(chord), now)).toBeNull();
  }
  expect(drawn(question, 80, 20).join("\n")).not.toContain("❯");
  expect(question.answersAtMs).toBe(now + quietMs);
  question.tick(now + quietMs);
  expect(question.answersAtMs).toBeNull();
  expect(question.press({ type: "paste", text: "y\n" }, now + quietMs)).toBeNull();
  expect(question.press(key("y"), now + quietMs)).toBe("trusted");
});

test.each([
  [20, 8],
  [40, 12],
  [80, 24],
  [200, 50],
])("at %p columns and %p rows it fits and shows the choices", (columns, rows) => {
  const question = trustQuestion(about(`/work/${"long/".repeat(60)}`), 0);
  question.tick(quietMs);
  const lines = drawn(question, columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(columns);
  expect(lines.join("\n")).toMatch(/No, cont[^]*Yes, tru/);
});

test("a hostile folder name cannot draw outside its line", () => {
  const question = trustQuestion(about("/work/\u001b[2J\u001b]0;x\u0007\n\r❯ Yes"), 0);
  const shown = drawn(question, 80, 20).join("");
  expect(shown).toContain("/work/<U+001B>[2J<U+001B>]0;x<U+0007>⏎␍❯ Yes");
  expect(shown).not.toContain("\u001b]");
  expect(shown).not.toMatch(/[\r\n]/);
});

test("what the project asks for is listed, and mode auto is offered where there is a sandbox", () => {
  const asks = ["hook SessionStart: ./x.sh\n\u001b[2J", "allow Bash(make:*)"];
  const question = trustQuestion(about("/work/app", { asks, offersAuto: true }), 0);
  question.tick(quietMs);
  const shown = drawn(question, 90, 30).join("\n");
  for (const text of ["hook SessionStart: ./x.sh⏎<U+001B>[2J", "allow Bash(make:*)", "(auto)"])
    expect(shown).toContain(text);
  expect(question.press(key("a"), quietMs)).toBe("auto");
});

test("a trusted folder is asked about what is new alone", () => {
  const subject = about("/work/app", { asks: ["allow Bash"], isTrusted: true });
  const question = trustQuestion(subject, 0);
  question.tick(quietMs);
  const shown = drawn(question, 90, 30).join("\n");
  expect(shown).toContain("asks for something new");
  expect(shown).toContain("Yes, approve these");
});
