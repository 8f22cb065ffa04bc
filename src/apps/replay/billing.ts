/** What the server would bill for a request. */

import { headTtl, markedMessages } from "../../context/marks.ts";
import type { View } from "../../context/types.ts";
import {
  ttlMs,
  type CharsPerToken,
  type Message,
  type ModelRules,
  type Usage,
} from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { PromptCache, type Mark } from "./cache-model.ts";
import { PrefixBuilder } from "./prompt-prefix.ts";

/** Where requests carry marks: as ours do, or at the head and the end alone. */
export type Marking = "ours" | "ends";

export class Billing {
  readonly #prefix: PrefixBuilder;
  readonly #cache: PromptCache;
  readonly #ttlMs: number;
  readonly #numbers: Policy;
  readonly #marking: Marking;
  /** Of the request that was billed last. */
  #marks: Mark[] = [];

  constructor(
    headTokens: number,
    charsPerToken: CharsPerToken,
    rules: ModelRules,
    numbers: Policy,
    marking: Marking,
    counted?: ReadonlyMap<number, number>,
  ) {
    this.#prefix = new PrefixBuilder(headTokens, charsPerToken, counted);
    this.#cache = new PromptCache(rules.cacheMinimumTokens);
    this.#numbers = numbers;
    this.#ttlMs = ttlMs[numbers.cacheTtl];
    this.#marking = marking;
  }

  /** Of the request that was billed last. */
  get usedTokens(): number {
    return this.#prefix.totalTokens;
  }

  /** Sends these messages of the view with the marks that such a request carries. */
  bill(view: View, messages: readonly Message[], nowMs: number, outputTokens: number): Usage {
    this.#prefix.update(messages);
    const marked =
      this.#marking === "ends" ? [messages.length - 1] : markedMessages(view, messages);
    const marks = marked.map((at) => ({ block: this.#prefix.ends[at] ?? 0, ttlMs: this.#ttlMs }));
    const head = { block: 0, ttlMs: ttlMs[headTtl(view, this.#numbers)] };
    this.#marks = [head, ...marks];
    return { ...this.refresh(nowMs), output: Math.round(outputTokens) };
  }

  /** Sends the last request again, without an answer. */
  refresh(nowMs: number): Usage {
    const usage = this.#cache.send(this.#prefix, this.#marks, nowMs);
    return {
      input: Math.round(usage.input),
      cacheRead: Math.round(usage.cacheRead),
      cacheWrite: Math.round(usage.cacheWrite),
      cacheWrite1h: Math.round(usage.cacheWrite1h ?? 0),
      output: 0,
    };
  }
}
