import { editDistance } from "../protocol/edit-distance.ts";

/** The candidate closest to a mistyped word; undefined when none is close. */
function closest(word: string, candidates: readonly string[]): string | undefined {
  const atMost = Math.max(2, word.length / 3);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, atMost);
    if (distance !== null && distance < (best?.distance ?? Infinity))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** The end of a sentence about a mistyped word: “; did you mean X?”, or `otherwise`. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  show = (candidate: string): string => candidate,
): string {
  const near = closest(word, candidates);
  return near === undefined ? otherwise : `; did you mean ${show(near)}?`;
}
