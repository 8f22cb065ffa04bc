import { expect, test } from "bun:test";
import { trustQuestion, type TrustSubject } from "../../../../src/ui/components/question/trust.ts";
import { drawQuestion } from "../../draw-question.ts";
import type { InputEvent } from "../../stage.ts";

/** A pause without keys after which a question takes answers. */
const quietMs = 500;

const key = (chord: string): InputEvent => ({
  type: "key",
  chord,
  text: chord.length === 1 ? chord : "",
});

/** The question, drawn and answered by keys at the times of a clock. */
function ask(subject: TrustSubject) {
  let nowMs = 0;
  let answered: string | null = null;
  const question = trustQuestion(
    subject,
    () => nowMs,
    (answer) => void (answered = answer),
  );
  return {
    question,
    pass: (ms: number) => void (nowMs += ms),
    draw: (columns: number, rows: number): readonly string[] =>
      drawQuestion(question, { columns, rows }).rows,
    press(event: InputEvent): string | null {
      void question.press(event);
      return answered;
    },
  };
}

const about = (folder: string, more: Partial<TrustSubject> = {}): TrustSubject => ({
  folder,
  asks: [],
  isTrusted: false,
  offersAuto: false,
  ...more,
});

/** A question that has been shown long enough to accept answers. */
function ready(subject = about("/work/app")) {
  const asked = ask(subject);
  asked.draw(80, 20);
  asked.pass(quietMs);
  asked.draw(80, 20);
  return asked;
}

test.each([
  ["y", "trusted"],
  ["n", "untrusted"],
  ["enter", "untrusted"],
  ["escape", "untrusted"],
  ["a", null],
  ["Y", null],
  ["space", null],
] as const)("%s gives %p", (chord, answer) => {
  expect(ready().press(key(chord))).toBe(answer);
});

test("arrows select; No is the default", () => {
  const { draw, press } = ready();
  expect(draw(80, 20).join("\n")).toContain("❯ No, continue without them (n)");
  expect(press(key("down"))).toBeNull();
  expect(draw(80, 20).join("\n")).toContain("❯ Yes, trust them (y)");
  expect(press(key("enter"))).toBe("trusted");
});

test("keys that are read before it is drawn as taking answers do not answer", () => {
  const { question, pass, press, draw } = ask(about("/work/app"));
  draw(80, 20);
  pass(10 * quietMs);
  for (const chord of ["y", "y", "enter"]) expect(press(key(chord))).toBeNull();
  expect(draw(80, 20).join("\n")).not.toContain("❯");
  expect(question.answersAtMs).toBe(11 * quietMs);
});

test("keys that wait to be read while a slow first frame is drawn do not answer", () => {
  const { pass, press, draw } = ask(about("/work/app"));
  pass(10 * quietMs);
  expect(draw(80, 20).join("\n")).not.toContain("❯");
  for (const chord of ["y", "y", "enter"]) expect(press(key(chord))).toBeNull();
});

test("keys typed as it appears do not answer, and pastes never do", () => {
  const { question, pass, press, draw } = ask(about("/work/app"));
  for (const chord of ["y", "enter", "n", "escape", "y"]) {
    pass(quietMs - 1);
    expect(press(key(chord))).toBeNull();
  }
  expect(draw(80, 20).join("\n")).not.toContain("❯");
  expect(question.answersAtMs).toBe(5 * (quietMs - 1) + quietMs);
  pass(quietMs);
  draw(80, 20);
  expect(question.isAnswering).toBe(true);
  expect(question.answersAtMs).toBeNull();
  expect(press({ type: "paste", text: "y\n" })).toBeNull();
  expect(press(key("x"))).toBeNull();
  expect(press(key("y"))).toBe("trusted");
});

test.each([
  [20, 8],
  [40, 12],
  [80, 24],
  [200, 50],
])("at %p columns and %p rows it fits and shows the choices", (columns, rows) => {
  const lines = ready(about(`/work/${"long/".repeat(60)}`)).draw(columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(columns);
  expect(lines.join("\n")).toMatch(/No, cont[^]*Yes, tru/);
});

test("a hostile folder name cannot draw outside its line", () => {
  const shown = ready(about("/work/\u001b[2J\u001b]0;x\u0007\n\r❯ Yes")).draw(80, 20).join("");
  expect(shown).toContain("/work/<U+001B>[2J<U+001B>]0;x<U+0007>⏎␍❯ Yes");
  expect(shown).not.toContain("\u001b]");
  expect(shown).not.toMatch(/[\r\n]/);
});

test("what the project asks for is listed, and mode auto is offered where there is a sandbox", () => {
  const asks = ["hook SessionStart: ./x.sh\n\u001b[2J", "allow Bash(make:*)"];
  const { draw, press } = ready(about("/work/app", { asks, offersAuto: true }));
  const shown = draw(90, 30).join("\n");
  for (const text of ["hook SessionStart: ./x.sh⏎<U+001B>[2J", "allow Bash(make:*)", "(auto)"])
    expect(shown).toContain(text);
  expect(press(key("a"))).toBe("auto");
});

test("a trusted folder is asked about what is new alone", () => {
  const shown = ready(about("/work/app", { asks: ["allow Bash"], isTrusted: true }))
    .draw(90, 30)
    .join("\n");
  expect(shown).toContain("asks for something new");
  expect(shown).toContain("Yes, approve these");
});

test.each([
  ["many requests", Array.from({ length: 120 }, (_, at) => `allow Bash(tool${at}:*)`)],
  ["one that hides its end behind spaces", [`hook Stop: echo ok${" ".repeat(3_010)}; evil`]],
])("a yes to %s is taken once all of it has been shown", (_name, asks) => {
  for (const yes of ["y", "a"]) {
    const asked = ready(about("/work/app", { asks, offersAuto: true, isTrusted: yes === "a" }));
    const shown: string[] = [];
    const draw = () => void shown.push(...asked.draw(60, 24));
    draw();
    expect(asked.press(key(yes))).toBeNull();
    let answer: string | null = null;
    for (let page = 0; page < 40 && answer === null; page += 1) {
      draw();
      answer = asked.press(key(yes));
    }
    expect(answer).toBe(yes === "y" ? "trusted" : "auto");
    const last = asks.at(-1)?.slice(-20).trim() ?? "";
    expect(shown.join("\n")).toContain(last.replace(/^.* /, ""));
  }
  expect(ready(about("/work/app", { asks })).press(key("n"))).toBe("untrusted");
});
