/** The order of search results: rare words, declarations and lines with many of the words come first. */

import { declaredName, isComment, isImport } from "./declarations.ts";
import { isData, isProse, isTest } from "./files.ts";
import type { Line } from "./results.ts";
import { matchOf, stemsIn, type Keyword } from "./words.ts";

/** The best line of each file, best first. */
export function rank(
  found: readonly Line[],
  keywords: readonly Keyword[],
  wantsTests: boolean,
): Line[] {
  const weights = new Map(keywords.map((keyword) => [keyword, weightOf(keyword, found)]));
  const best = new Map<string, { match: Line; score: number }>();
  for (const match of found) {
    const score = scoreOf(match, weights) + kindScore(match.path, wantsTests);
    const known = best.get(match.path);
    if (!known || score > known.score) best.set(match.path, { match, score });
  }
  return [...best.values()]
    .sort((a, b) => b.score - a.score || (a.match.path < b.match.path ? -1 : 1))
    .map(({ match }) => match);
}

/** From 0.5 for a word in every file found to 2.5 for one in a single file; verbs count half. */
function weightOf(keyword: Keyword, found: readonly Line[]): number {
  const all = new Set(found.map(({ path }) => path));
  const hits = new Set(
    found
      .filter(({ path, text }) => matchOf(keyword, `${path} ${text}`) > 0)
      .map(({ path }) => path),
  );
  const rarity = Math.log((all.size + 1) / (hits.size + 1)) / Math.log(all.size + 1.1);
  return (0.5 + 2 * rarity) * (keyword.similar.length > 0 ? 0.5 : 1);
}

function scoreOf({ path, text }: Line, weights: ReadonlyMap<Keyword, number>): number {
  const name = declaredName(text);
  const file = path.split("/").at(-1) ?? "";
  const folder = path.slice(0, -file.length);
  let covered = 0;
  let score = isImport(text) ? -2 : isComment(text) ? -0.5 : 0;
  for (const [keyword, weight] of weights) {
    const inLine =
      name !== null && matchOf(keyword, name) > 0
        ? 3 * matchOf(keyword, name)
        : 1.5 * matchOf(keyword, text);
    covered += matchOf(keyword, `${path} ${text}`);
    score += weight * (inLine + 1.5 * matchOf(keyword, file) + 0.75 * matchOf(keyword, folder));
  }
  // A name made up only of the question's words is very likely what was asked for.
  const keywords = [...weights.keys()];
  const isExact =
    name !== null &&
    [...stemsIn(name)].every((part) =>
      keywords.some((one) => matchOf(one, part) > 0 || one.word === name),
    );
  const share = covered / keywords.length;
  return score * (0.4 + 0.6 * share) + (name === null ? 0 : 0.5) + (isExact ? 2 * share : 0);
}

function kindScore(path: string, wantsTests: boolean): number {
  const test = isTest(path) === wantsTests ? 0 : -4;
  return test - path.split("/").length * 0.1 - (isProse(path) ? 5 : 0) - (isData(path) ? 4 : 0);
}
