/** Which of many places is the one that was asked for. */

import { definedName, isComment, isImport } from "./definition.ts";
import type { Match } from "./results.ts";
import { subwords } from "./stem.ts";
import { hits, type Keyword } from "./words.ts";
import { kindPoints, type Wish } from "./wish.ts";

/** `text` is "" where only the file's name speaks for it. */
export type Candidate = Match & { score: number };

/** A file, with the lines of it that a search has found. */
type Found = { path: string; lines: Map<number, string> };

/** Lines so near to one another speak of one thing. */
const nearLines = 20;

/** One candidate a file, the best first. */
export function rank(
  matches: readonly Match[],
  keywords: readonly Keyword[],
  wish: Wish,
): Candidate[] {
  const files = new Map<string, Found>();
  for (const { path, line, text } of matches) {
    const found = files.get(path) ?? { path, lines: new Map<number, string>() };
    if (text !== "") found.lines.set(line, text);
    files.set(path, found);
  }
  const weigh = weightsOf([...files.values()], keywords);
  return [...files.values()]
    .map((file) => bestOf(file, keywords, weigh, wish))
    .sort(
      (a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
    );
}

export type Weigh = (keyword: Keyword) => number;

/** A word that is nearly everywhere says little; a verb less than a name. */
export function weightsOf(files: readonly Found[], keywords: readonly Keyword[]): Weigh {
  const weights = new Map<Keyword, number>();
  const texts = files.map(({ path, lines }) => {
    const text = [path, ...lines.values()].join("\n");
    return { text, stems: new Set(subwords(text)) };
  });
  for (const keyword of keywords) {
    const holding = texts.filter(({ text, stems }) => hits(keyword, text, stems) === 1).length;
    const rarity = Math.min(1.6, 0.6 + Math.log10((files.length + 1) / (holding + 1)));
    weights.set(keyword, (keyword.verb ? 0.7 : 1) * rarity);
  }
  return (keyword) => weights.get(keyword) ?? 1;
}

/** Points of a text for each keyword that it holds. */
export function pointsIn(text: string, keywords: readonly Keyword[], weigh: Weigh): number {
  const stems = new Set(subwords(text));
  return keywords.reduce((sum, keyword) => sum + weigh(keyword) * hits(keyword, text, stems), 0);
}

function bestOf(
  { path, lines }: Found,
  keywords: readonly Keyword[],
  weigh: Weigh,
  wish: Wish,
): Candidate {
  const base = pathPoints(path, keywords, weigh) + kindPoints(path, wish);
  let best: Candidate = { path, line: 1, text: "", score: base };
  const all = [...lines];
  for (const [line, text] of all) {
    const near = all
      .filter(([other]) => Math.abs(other - line) <= nearLines)
      .map(([, one]) => one)
      .join("\n");
    const name = definedName(text);
    let score = base + 2 * pointsIn(text, keywords, weigh) + pointsIn(near, keywords, weigh);
    if (name !== null && !wish.uses) score += 1 + 2 * namePoints(name, keywords, weigh);
    if (isComment(text)) score -= 0.5;
    if (isImport(text)) score -= 4;
    if (score > best.score) best = { path, line, text, score };
  }
  return best;
}

/** A name that is nothing but what was asked for is better than one in which it only occurs. */
export function namePoints(name: string, keywords: readonly Keyword[], weigh: Weigh): number {
  if (keywords.some((keyword) => keyword.name && keyword.word === name)) return 4;
  const points = pointsIn(name, keywords, weigh);
  const parts = new Set(subwords(name)).size;
  return points === 0 ? 0 : points * (0.6 + 0.4 / parts) + (parts === 1 ? 0.2 : 0);
}

export function pathPoints(path: string, keywords: readonly Keyword[], weigh: Weigh): number {
  const parts = path.split("/");
  const file = (parts.at(-1) ?? "").replace(/\.\w+$/, "");
  const inName = namePoints(file, keywords, weigh);
  // A folder says again what the name of the file says already: that counts once.
  const stems = new Set(subwords(file));
  const others = keywords.filter((keyword) => hits(keyword, file, stems) === 0);
  return 1.5 * inName + pointsIn(parts.slice(0, -1).join("/"), others, weigh);
}
