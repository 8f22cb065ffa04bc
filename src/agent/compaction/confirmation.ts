/** The two questions about a summary: before it is written, and before it is used. */

import type { Plan } from "../../context/types.ts";
import type { AgentEvent, Ask } from "../../protocol/event.ts";
import { counted } from "../../base/in-words.ts";
import type { Session } from "../session.ts";

/** The question before an automatic summary, with its expected effect. */
export function askToSummarize({ price }: Plan, { reading, log }: Session): Ask {
  const tokens = (count: number): string => Math.round(count).toLocaleString("en-US");
  const { usedBefore, usedAfter, usd, breakEvenCalls } = price;
  const payback =
    breakEvenCalls === null
      ? "never pays off"
      : `pays off after ${counted(breakEvenCalls, "call")}`;
  return {
    id: `compact-${log.path.length}`,
    toolUse: "",
    tool: "Compact",
    title: `Summarize the conversation? The context is ${Math.round(reading.utilization * 100)} % full`,
    detail: [
      `About ${tokens(usedBefore)} tokens become about ${tokens(usedAfter)}. Costs about $${usd.toFixed(2)}, ${payback}.`,
      "Without a summary the conversation continues unchanged until the next request would not fit.",
    ].join("\n"),
    detailKind: "text",
    rule: "summarize automatically",
  };
}

/** The summary that waits for the user's review. */
export class Reviews {
  #waiting: { id: string; answer(text: string | null): void } | null = null;

  /** Returns the text as the user left it; null when they declined or the signal fired. */
  async *ask(
    id: string,
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, string | null> {
    if (signal.aborted) return null;
    const { promise, resolve: answer } = Promise.withResolvers<string | null>();
    // The answer can come before the consumer resumes this generator.
    this.#waiting = { id, answer };
    signal.addEventListener("abort", () => answer(null));
    yield { type: "compaction", state: { step: "review", id, text } };
    return await promise;
  }

  answer(id: string, text: string | null): void {
    if (this.#waiting?.id === id) this.#waiting.answer(text);
  }
}
