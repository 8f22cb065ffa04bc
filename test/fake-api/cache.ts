/** A prompt cache that bills as the API does: prefixes, marks, look-back, minimum size, life. */

import { bare, tokensOf, type WireRequest } from "./wire.ts";

export type Bill = {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
};

/** A mark finds prefixes that end so many blocks before it. */
const lookBack = 20;

type Kept = { tokens: number; untilMs: number; lifeMs: number };

export class PromptCache {
  readonly #kept = new Map<string, Kept>();
  readonly #minimum: number;

  constructor(minimumTokens: number) {
    this.#minimum = minimumTokens;
  }

  /** Bills a request and keeps what it marks. */
  bill(request: WireRequest, nowMs: number): Bill {
    const { tools = [], system = [], messages } = request;
    const flat = [
      ...tools,
      ...system,
      ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }))),
    ];
    const prefixes: { key: string; tokens: number }[] = [];
    let key = request.model;
    let tokens = 0;
    for (const block of flat) {
      key = new Bun.CryptoHasher("sha256").update(key + bare(block)).digest("hex");
      tokens += tokensOf(block);
      prefixes.push({ key, tokens });
    }
    const marks = flat.flatMap(({ cache_control }, index) =>
      cache_control ? [{ index, hour: cache_control.ttl === "1h" }] : [],
    );
    let read = 0;
    for (const { index } of marks) {
      for (let at = index; at >= Math.max(0, index - lookBack); at--) {
        const kept = this.#kept.get(prefixes[at]?.key ?? "");
        if (!kept || kept.untilMs <= nowMs || kept.tokens <= read) continue;
        read = kept.tokens;
        kept.untilMs = nowMs + kept.lifeMs;
      }
    }
    let written = read;
    const created = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    for (const { index, hour } of marks) {
      const prefix = prefixes[index];
      if (!prefix || prefix.tokens < this.#minimum) continue;
      const lifeMs = hour ? 3_600_000 : 300_000;
      this.#kept.set(prefix.key, { tokens: prefix.tokens, untilMs: nowMs + lifeMs, lifeMs });
      if (prefix.tokens <= written) continue;
      created[hour ? "ephemeral_1h_input_tokens" : "ephemeral_5m_input_tokens"] +=
        prefix.tokens - written;
      written = prefix.tokens;
    }
    return {
      input_tokens: tokens - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written - read,
      cache_creation: created,
    };
  }
}
