/** The server's prompt cache: what a request reads, writes and pays in full. */

import type { Usage } from "../../src/protocol/model.ts";

/** A request as the cache sees it: blocks in order, `prefix[i]` standing for all up to block i. */
export type Line = {
  /** Equal only when everything up to the block is equal. */
  readonly prefix: readonly number[];
  /** Tokens up to and including the block. */
  readonly tokens: readonly number[];
};

/** A mark at a block, and how long the prefix that ends there is kept, in ms. */
export type Mark = { block: number; ttlMs: number };

/** A mark finds entries up to this many blocks before it. */
const lookBack = 20;
const maxMarks = 4;
/** What lives longer is billed as written for an hour. */
const shortMs = 30 * 60_000;

export class PromptCache {
  readonly #kept = new Map<number, { untilMs: number; ttlMs: number }>();
  readonly #minimumTokens: number;

  /** `minimumTokens`: the shortest prefix that is kept. */
  constructor(minimumTokens: number) {
    this.#minimumTokens = minimumTokens;
  }

  /**
   * Sends a request whose blocks at `marks` carry a mark, and gives what is billed for its input
   * (`output` is 0). The longest prefix that a mark finds is read, what follows up to the last mark
   * is written, the rest is plain input; whatever is read or written lives on from `nowMs`.
   */
  send({ prefix, tokens }: Line, marks: readonly Mark[], nowMs: number): Usage {
    const total = tokens.at(-1) ?? 0;
    const useful = marks
      .toSorted((a, b) => a.block - b.block)
      .slice(-maxMarks)
      .filter(({ block }) => (tokens[block] ?? 0) >= this.#minimumTokens);
    const found = Math.max(-1, ...useful.map(({ block }) => this.#find(prefix, block, nowMs)));
    const read = tokens[found] ?? 0;
    for (const { block, ttlMs } of [{ block: found, ttlMs: 0 }, ...useful]) {
      const key = prefix[block];
      if (key === undefined) continue;
      const known = this.#lives(key, nowMs) ? this.#kept.get(key) : undefined;
      // Reading an entry renews it for its original lifetime.
      if (known) known.untilMs = nowMs + known.ttlMs;
      else if (block > found) this.#kept.set(key, { untilMs: nowMs + ttlMs, ttlMs });
    }
    const writtenTo = (mark: Mark | undefined): number =>
      Math.max(0, (tokens[mark?.block ?? -1] ?? 0) - read);
    const cacheWrite = writtenTo(useful.at(-1));
    return {
      input: total - read - cacheWrite,
      cacheRead: read,
      cacheWrite,
      cacheWrite1h: writtenTo(useful.findLast(({ ttlMs }) => ttlMs > shortMs)),
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

  #lives = (key: number, nowMs: number): boolean => (this.#kept.get(key)?.untilMs ?? -1) >= nowMs;
}
