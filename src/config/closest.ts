import { editDistance } from "../base/edit-distance.ts";

/** The end of a sentence about a mistyped word: “; did you mean X?”, or `otherwise`. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  show = (candidate: string): string => candidate,
): string {
  const atMost = Math.max(2, word.length / 3);
  const [closest] = candidates
    .flatMap((candidate) => {
      const distance = editDistance(word, candidate, atMost);
      return distance === null ? [] : [{ candidate, distance }];
    })
    .toSorted((a, b) => a.distance - b.distance);
  return closest ? `; did you mean ${show(closest.candidate)}?` : otherwise;
}
