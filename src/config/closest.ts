import { editDistance } from "../protocol/edit-distance.ts";

/** The candidate closest to a mistyped word; undefined when none is close. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const atMost = Math.max(2, word.length / 3);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, atMost);
    if (distance !== null && distance < (best?.distance ?? Infinity))
      best = { candidate, distance };
  }
  return best?.candidate;
}
