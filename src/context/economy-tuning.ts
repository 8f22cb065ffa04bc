/** Numbers of policy "economy" that depend on the window. Chosen on one half of the recorded sessions. */

/**
 * A smaller window asks for summaries itself soon enough, so that few are made beside those. A big one
 * never does, and the whole history is paid for with every call: it gives up more, and earlier.
 */
export type EconomyTuning = {
  /** Tokens of the conversation, without system prompt and tools, above which a summary is worth its call. */
  ceilingTokens: number;
  /** Calls since the last summary, at least. */
  fewestCalls: number;
  /** Share of that which it must free. */
  leastShare: number;
  /** Clearing results comes first, and may be enough; or else it is left out where the cache is hot. */
  clearsFirst: boolean;
  /** How many calls a file may go untouched until a reading of it gives way. */
  edited: BySize;
  seen: BySize;
  /** The same for the whole text of a file beside a summary. */
  fileBeside: { edited: BySize; seen: BySize };
};

/** Calls, by the size of what was read. */
type BySize = { short: number; medium: number; long: number };

const bigWindow = 400_000;

const small: EconomyTuning = {
  ceilingTokens: 65_000,
  fewestCalls: 60,
  leastShare: 0.45,
  clearsFirst: true,
  edited: { short: 160, medium: 20, long: 10 },
  seen: { short: 40, medium: 40, long: 10 },
  fileBeside: {
    edited: { short: 160, medium: 80, long: 80 },
    seen: { short: 80, medium: 80, long: 80 },
  },
};

const big: EconomyTuning = {
  ceilingTokens: 32_000,
  fewestCalls: 25,
  leastShare: 0.7,
  clearsFirst: false,
  edited: { short: 160, medium: 10, long: 10 },
  seen: { short: 20, medium: 10, long: 10 },
  fileBeside: {
    edited: { short: 100, medium: 10, long: 10 },
    seen: { short: 20, medium: 10, long: 10 },
  },
};

export const economyTuning = (windowTokens: number): EconomyTuning =>
  windowTokens >= bigWindow ? big : small;

/** Sizes in characters. */
const sizes = { short: 4_000, medium: 10_000 };

export const bySize = (chars: number, calls: BySize): number =>
  chars <= sizes.short ? calls.short : chars <= sizes.medium ? calls.medium : calls.long;
