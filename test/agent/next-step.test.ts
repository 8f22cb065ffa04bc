import { expect, test } from "bun:test";
import { nextStep, type NextStep } from "../../src/agent/next-step.ts";
import type { Stop } from "../../src/protocol/model.ts";

const said = [{ type: "text" as const, text: "ok" }];

const steps: [stop: Stop, continuations: number, next: NextStep["next"]][] = [
  ["end_turn", 0, "done"],
  ["stop_sequence", 0, "done"],
  ["tool_use", 0, "done"],
  ["compaction", 0, "done"],
  ["pause_turn", 0, "continue"],
  ["pause_turn", 9, "continue"],
  ["pause_turn", 10, "give-up"],
  ["max_tokens", 2, "continue"],
  ["max_tokens", 3, "give-up"],
  ["model_context_window_exceeded", 2, "compact"],
  ["model_context_window_exceeded", 3, "give-up"],
  ["refusal", 0, "give-up"],
  ["unknown", 0, "give-up"],
  ["interrupted", 0, "give-up"],
  ["failed", 0, "give-up"],
];

test.each(steps)("%s after %d continuations: %s", (stop, continuations, next) => {
  expect(nextStep({ stop, content: said }, undefined, continuations).next).toBe(next);
});

test("a refusal names its reason if there is one", () => {
  expect(nextStep({ stop: "refusal", content: [] }, "unsafe", 0)).toMatchObject({
    message: expect.stringContaining("declined to answer (unsafe)."),
  });
  expect(nextStep({ stop: "refusal", content: [] }, undefined, 0)).toMatchObject({
    message: expect.stringContaining("declined to answer."),
  });
});

test.each([
  ["no block", []],
  ["blanks alone", [{ type: "text" as const, text: " \n" }]],
  ["thinking alone", [{ type: "thinking" as const, thinking: "hm", signature: "" }]],
])("an answer of %s is asked for once more, then the turn fails", (_, content) => {
  const answer = { stop: "end_turn" as const, content };
  expect(nextStep(answer, undefined, 0).next).toBe("continue");
  expect(nextStep(answer, undefined, 1)).toMatchObject({
    next: "give-up",
    message: expect.stringContaining("answered with nothing"),
  });
});

test("calls in between do not make a turn continue without end", () => {
  const cut = { stop: "max_tokens" as const, content: said };
  expect(nextStep(cut, undefined, 0, 11).next).toBe("continue");
  expect(nextStep(cut, undefined, 0, 12).next).toBe("give-up");
});
