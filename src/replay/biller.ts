/** What the server would bill for the view as it stands. */

import { markMessages } from "../context/marks.ts";
import type { View } from "../context/types.ts";
import {
  ttlMs,
  type CacheTtl,
  type Message,
  type ModelRules,
  type Usage,
} from "../protocol/model.ts";
import { PromptCache } from "./cache-model.ts";
import { LineBuilder } from "./line.ts";

export class Biller {
  readonly #line: LineBuilder;
  readonly #cache: PromptCache;

  constructor(headTokens: number, charsPerToken: number, rules: ModelRules, ttl: CacheTtl) {
    this.#line = new LineBuilder(headTokens, charsPerToken);
    this.#cache = new PromptCache({
      minimumTokens: rules.cacheMinimumTokens,
      ttlMs: ttlMs[ttl],
    });
  }

  /** Of the request that was billed last. */
  get usedTokens(): number {
    return this.#line.totalTokens;
  }

  /** Sends the view's messages with the marks that such a request carries. */
  bill(view: View, nowMs: number, outputTokens: number, where: "ours" | "ends"): Usage {
    const { messages } = view;
    this.#line.update(messages);
    const ends =
      where === "ends"
        ? [this.#line.ends.at(-1) ?? 0]
        : markMessages(view, messages, { type: "ephemeral" }).flatMap((message, at) =>
            isMarked(message) ? [this.#line.ends[at] ?? 0] : [],
          );
    const usage = this.#cache.send(this.#line, [0, ...ends], nowMs);
    return {
      input: Math.round(usage.input),
      cacheRead: Math.round(usage.cacheRead),
      cacheWrite: Math.round(usage.cacheWrite),
      cacheWrite1h: Math.round(usage.cacheWrite1h ?? 0),
      output: Math.round(outputTokens),
    };
  }
}

const isMarked = ({ content }: Message): boolean =>
  content.some((block) => block.cache_control !== undefined);
