/** The server's prompt cache: what a request reads, writes and pays in full. */

import type { Usage } from "../protocol/model.ts";

/** A request as the cache sees it: blocks in order, `prefix[i]` standing for all up to block i. */
export type Line = {
  /** Equal only when everything up to the block is equal. */
  readonly prefix: readonly number[];
  /** Tokens up to and with the block. */
  readonly tokens: readonly number[];
};

export type CacheRules = {
  /** The shortest prefix that is kept, in tokens. */
  minimumTokens: number;
  ttlMs: number;
};

/** A mark finds what was written at most so many blocks before it. */
const lookBack = 20;
const mostMarks = 4;

export class PromptCache {
  readonly #expiry = new Map<number, number>();
  readonly #rules: CacheRules;

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /**
   * Sends a request whose blocks at `marks` carry a mark, and gives what is billed for its input
   * (`output` is 0). The longest prefix that a mark finds is read, what follows up to the last mark
   * is written, the rest is plain input; whatever is read or written lives on from `nowMs`.
   */
  send({ prefix, tokens }: Line, marks: readonly number[], nowMs: number): Usage {
    const { minimumTokens, ttlMs } = this.#rules;
    const total = tokens.at(-1) ?? 0;
    const useful = marks
      .toSorted((a, b) => a - b)
      .slice(-mostMarks)
      .filter((mark) => (tokens[mark] ?? 0) >= minimumTokens);
    const found = Math.max(-1, ...useful.map((mark) => this.#find(prefix, mark, nowMs)));
    const read = tokens[found] ?? 0;
    const end = useful.at(-1) ?? -1;
    for (const block of [found, ...useful]) {
      const key = prefix[block];
      if (key === undefined) continue;
      const mayLive = block > found || this.#lives(key, nowMs) || block === found;
      if (mayLive) this.#expiry.set(key, nowMs + ttlMs);
    }
    const written = Math.max(0, (tokens[end] ?? 0) - read);
    return {
      input: total - read - written,
      cacheRead: read,
      cacheWrite: written,
      cacheWrite1h: ttlMs > 30 * 60_000 ? written : 0,
      output: 0,
    };
  }

  #find(prefix: readonly number[], mark: number, nowMs: number): number {
    for (let block = mark; block >= 0 && block > mark - lookBack; block--) {
      const key = prefix[block];
      if (key !== undefined && this.#lives(key, nowMs)) return block;
    }
    return -1;
  }

  #lives = (key: number, nowMs: number): boolean => (this.#expiry.get(key) ?? -1) >= nowMs;
}
