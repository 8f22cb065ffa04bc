import type { Stop } from "../../protocol/model.ts";
import { splitSections } from "./sections.ts";

type ReadSummary = { text: string } | { rejected: string };

/** An answer without tags that is shorter is not a summary. */
const fewestChars = 80;

/** What is between the tags may be short, if there is little to say. */
const fewestLetters = 20;

/** An answer without tags counts as a summary if it has this many of the requested sections. */
const fewestSections = 3;

/**
 * The summary in a model's answer, without its analysis. An answer that was cut off, is empty, is not
 * a summary, or is no smaller than the `replacesChars` that it replaces is rejected with the reason.
 */
export function readSummary(
  answer: string,
  stop: Stop,
  replacesChars = Number.POSITIVE_INFINITY,
): ReadSummary {
  const reason = stopReason(stop);
  if (reason !== null) return { rejected: reason };
  const thoughtThrough = answer.replace(/<analysis>[\s\S]*?<\/analysis>/gi, "");
  const open = /<summary>/i.exec(thoughtThrough);
  const close = thoughtThrough.toLowerCase().lastIndexOf("</summary>");
  let text: string;
  if (open) {
    const from = open.index + open[0].length;
    if (close < from) return { rejected: "it was cut off" };
    text = thoughtThrough.slice(from, close);
  } else {
    if (/<analysis>/i.test(thoughtThrough)) return { rejected: "its analysis was cut off" };
    text = thoughtThrough;
    if (stop === "tool_use") return { rejected: "the model called a tool instead" };
    const known = splitSections(text).filter(({ category }) => category !== "other").length;
    if (text.trim() !== "" && (text.trim().length < fewestChars || known < fewestSections))
      return { rejected: "the answer is not a summary" };
  }
  text = text.replace(/<\/?(?:summary|analysis)>/gi, "").trim();
  if (letterCount(text) < fewestLetters) return { rejected: "it is empty" };
  if (text.length >= replacesChars)
    return { rejected: "it is no smaller than what it would replace" };
  return { text };
}

/** Letters and digits: a line of dashes has none. */
export const letterCount = (text: string): number => text.replace(/[^\p{L}\p{N}]+/gu, "").length;

/** Why an answer that ended like this cannot hold a whole summary. */
function stopReason(stop: Stop): string | null {
  switch (stop) {
    case "max_tokens":
    case "model_context_window_exceeded":
    case "interrupted":
    case "failed":
      return "it was cut off";
    case "refusal":
      return "the model declined to write it";
    case "end_turn":
    case "tool_use":
    case "stop_sequence":
    case "pause_turn":
    case "compaction":
      return null;
    default:
      return stop satisfies never;
  }
}
