/** What the server would bill for a request. */

import { markMessages } from "../../src/context/rules/marks.ts";
import { headTtl } from "../../src/context/meter/meter.ts";
import type { View } from "../../src/context/types.ts";
import { ttlMs, type Message, type ModelRules, type Usage } from "../../src/protocol/model.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import { PromptCache, type Mark } from "./cache-model.ts";
import type { PrefixBuilder } from "./prompt-prefix.ts";

/** Where requests carry marks: as ours do, or at the head and the end alone. */
export type Marking = "ours" | "ends";

function markedMessages(view: View, messages: readonly Message[]): number[] {
  const marked = markMessages(view, messages, { type: "ephemeral" });
  return marked.flatMap((message, index) => (message === messages[index] ? [] : [index]));
}

/** `prefix` follows the messages of what is sent. */
export function openBilling(
  prefix: PrefixBuilder,
  rules: ModelRules,
  numbers: Policy,
  marking: Marking,
) {
  const cache = new PromptCache(rules.cacheMinimumTokens);
  const lifeMs = ttlMs[numbers.cacheTtl];
  /** Marks of the last request that was billed. */
  let marks: Mark[] = [];

  /** Sends the last request again, without an answer. */
  function refresh(nowMs: number): Usage {
    const usage = cache.send(prefix, marks, nowMs);
    return {
      input: Math.round(usage.input),
      cacheRead: Math.round(usage.cacheRead),
      cacheWrite: Math.round(usage.cacheWrite),
      cacheWrite1h: Math.round(usage.cacheWrite1h ?? 0),
      output: 0,
    };
  }

  /** Sends these messages of the view with the marks that such a request carries. */
  function bill(
    view: View,
    messages: readonly Message[],
    nowMs: number,
    outputTokens: number,
  ): Usage {
    prefix.update(messages);
    const marked = marking === "ends" ? [messages.length - 1] : markedMessages(view, messages);
    const head = { block: 0, ttlMs: ttlMs[marking === "ends" ? numbers.cacheTtl : headTtl] };
    marks = [head, ...marked.map((at) => ({ block: prefix.ends[at] ?? 0, ttlMs: lifeMs }))];
    return { ...refresh(nowMs), output: Math.round(outputTokens) };
  }

  return { bill, refresh };
}
