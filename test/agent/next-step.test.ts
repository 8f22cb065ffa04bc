import { expect, test } from "bun:test";
import { nextStep, type NextStep } from "../../src/agent/loop.ts";
import type { Stop } from "../../src/protocol/model.ts";

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
  ["interrupted", 0, "give-up"],
  ["failed", 0, "give-up"],
];

test.each(steps)("%s after %d continuations: %s", (stop, continuations, next) => {
  expect(nextStep(stop, undefined, continuations).next).toBe(next);
});

test("a refusal names its reason if there is one", () => {
  expect(nextStep("refusal", "unsafe", 0)).toMatchObject({
    message: expect.stringContaining("declined to answer (unsafe)."),
  });
  expect(nextStep("refusal", undefined, 0)).toMatchObject({
    message: expect.stringContaining("declined to answer."),
  });
});
