/** How fast the agent's memory grows compared with its log, turn by turn. */

/** Bytes, after a garbage collection. */
export type Sample = { heap: number; rss: number; logBytes: number };

/** Bytes per turn. */
type Slopes = { heap: number; rss: number; log: number };

/** The number of turns between two samples of a life. */
export const turnsPerSample = 20;

/**
 * The first turns are ignored: the program compiles code, sizes its heap, and keeps the newest
 * entries in memory.
 */
const warmUpSamples = 10;
const fewestSamples = 5;

/** Null when the life was too short. */
export function fitSlopes(samples: readonly Sample[]): Slopes | null {
  const warm = samples.slice(warmUpSamples);
  if (warm.length < fewestSamples) return null;
  return {
    heap: slope(warm.map(({ heap }) => heap)),
    rss: slope(warm.map(({ rss }) => rss)),
    log: slope(warm.map(({ logBytes }) => logBytes)),
  };
}

/** The medians over all lives, as a line to print. */
export function describeGrowth(lives: readonly Slopes[]): string {
  if (lives.length === 0) return "memory: too short to tell";
  const median = (of: (life: Slopes) => number): number =>
    lives.map(of).toSorted((a, b) => a - b)[Math.floor(lives.length / 2)] ?? 0;
  const [heap, log, rss] = [median((l) => l.heap), median((l) => l.log), median((l) => l.rss)];
  const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
  return `memory per turn: heap +${kilobytes(heap)} and resident +${kilobytes(rss)}, while the log grows by ${kilobytes(log)} (median of ${lives.length} lives)`;
}

/** Least squares, per turn. */
function slope(values: readonly number[]): number {
  const mean = (numbers: readonly number[]): number =>
    numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const x = (values.length - 1) / 2;
  const y = mean(values);
  const covariance = values.reduce((sum, value, at) => sum + (at - x) * (value - y), 0);
  const variance = values.reduce((sum, _, at) => sum + (at - x) ** 2, 0);
  return covariance / variance / turnsPerSample;
}
