import type { Missing } from "./print.ts";
import type { TurnReport } from "./run-stats.ts";

const attempts = 5;

/** Reminds the model to answer in the required form, a few times in each turn. */
export function missingAnswer(): (report: TurnReport) => Missing | null {
  let left = attempts;
  return ({ structured }) => {
    if (structured !== undefined) {
      left = attempts;
      return null;
    }
    if (left-- > 0) return { content: [{ type: "text", text: reminder }] };
    left = attempts;
    const message = `The model did not answer in the required form in ${attempts} attempts.`;
    return { why: "failed", limit: "structured", message };
  };
}

const reminder = "Call the tool StructuredOutput now, with your final answer as its input.";
