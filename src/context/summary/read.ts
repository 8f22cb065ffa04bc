import type { Stop } from "../../protocol/model.ts";

export type ReadSummary = { text: string } | { rejected: string };

/** Shorter than this is no summary of anything. */
const fewestChars = 80;

/**
 * The summary in a model's answer. The analysis, which helped the model to think, is dropped. An
 * answer that was cut off, or holds no summary, is rejected with the reason.
 */
export function readSummary(answer: string, stop: Stop): ReadSummary {
  if (stop === "max_tokens" || stop === "model_context_window_exceeded")
    return { rejected: "it was cut off" };
  if (stop === "refusal") return { rejected: "the model declined to write it" };
  const withoutAnalysis = answer.replace(/<analysis>[\s\S]*?<\/analysis>/gi, "");
  const open = withoutAnalysis.search(/<summary>/i);
  const close = withoutAnalysis.search(/<\/summary>/i);
  if (open !== -1 && close === -1) return { rejected: "it was cut off" };
  const text = (
    open === -1 ? withoutAnalysis : withoutAnalysis.slice(open + "<summary>".length, close)
  ).trim();
  if (/<\/?analysis>/i.test(text)) return { rejected: "its analysis was cut off" };
  return text.length < fewestChars ? { rejected: "it is empty" } : { text };
}
