/** The prompt cache as it is billed: by content, at marks, for a limited time. */

import { chain, hash, type Piece } from "./pieces.ts";
import type { ApiRequest } from "./schema.ts";

/** How many blocks before a mark are searched for a cached prefix. */
const lookBack = 20;
const ttlMs = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

export type Billed = {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
};

type Kept = { ttl: "5m" | "1h"; untilMs: number };

export class PromptCache {
  readonly #kept = new Map<bigint, Kept>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reads, writes and bills. `minimum`: the shortest cached prefix, in tokens. */
  bill(request: ApiRequest, pieces: readonly Piece[], minimum: number): Billed {
    const { places, total } = measure(request, pieces);
    const marks = places.filter(({ mark, end }) => mark !== null && end >= minimum);
    const hit = this.#find(places, marks);
    const written = { "5m": 0, "1h": 0 };
    let from = hit?.end ?? 0;
    for (const { mark, end, key } of marks) {
      if (mark === null) continue;
      if (end > from) {
        written[mark] += end - from;
        from = end;
      }
      this.#keep(key, mark);
    }
    if (hit !== null) this.#refresh(hit.key);
    return {
      input_tokens: total - from,
      cache_read_input_tokens: hit?.end ?? 0,
      cache_creation_input_tokens: written["5m"] + written["1h"],
      cache_creation: {
        ephemeral_5m_input_tokens: written["5m"],
        ephemeral_1h_input_tokens: written["1h"],
      },
    };
  }

  /** The longest prefix that is still cached and found from a mark. */
  #find(places: readonly Place[], marks: readonly Place[]): Place | null {
    for (const mark of marks.toReversed()) {
      const least = Math.max(0, mark.at - lookBack);
      for (let at = mark.at; at >= least; at -= 1) {
        const place = places[at];
        if (place !== undefined && this.#lives(place.key)) return place;
      }
    }
    return null;
  }

  #lives(key: bigint): boolean {
    return (this.#kept.get(key)?.untilMs ?? -Infinity) > this.#now();
  }

  #refresh(key: bigint): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.untilMs = this.#now() + ttlMs[kept.ttl];
  }

  /** A prefix written for an hour is not shortened by a later mark for five minutes. */
  #keep(key: bigint, ttl: "5m" | "1h"): void {
    const longer = this.#lives(key) && this.#kept.get(key)?.ttl === "1h" ? "1h" : ttl;
    this.#kept.set(key, { ttl: longer, untilMs: this.#now() + ttlMs[longer] });
  }
}

type Place = { at: number; key: bigint; end: number; mark: Piece["mark"] };

function measure(
  request: ApiRequest,
  pieces: readonly Piece[],
): { places: Place[]; total: number } {
  let key = hash(request.model, 3n);
  let end = 0;
  let inMessages = false;
  const places = pieces.map((piece, at): Place => {
    if (!inMessages && piece.message >= 0) {
      inMessages = true;
      // A change of thinking keeps the cache of tools and system, but of no message.
      key = hash(request.thinking?.type ?? "default", key);
    }
    key = chain(key, piece);
    end += piece.tokens;
    return { at, key, end, mark: piece.mark };
  });
  return { places, total: end };
}
