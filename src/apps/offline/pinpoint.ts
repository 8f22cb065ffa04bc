/** In a page that was read: the line that a question is after. */

import {
  commentAbove,
  definedName,
  isComment,
  isExported,
  isImport,
  isOutermost,
} from "./definition.ts";
import { namePoints, pointsIn, type Weigh } from "./rank.ts";
import type { Line } from "./results.ts";
import type { Wish } from "./wish.ts";
import { subwords } from "./stem.ts";
import { hits, type Keyword } from "./words.ts";

export type Place = { line: number; score: number };

/** So many lines below a definition are looked at as its body. */
const bodyLines = 14;

/** Null: the page holds none of the words. `base`: points of the file itself. */
export function pinpoint(
  path: string,
  lines: readonly Line[],
  question: Question,
  base: number,
): Place | null {
  const { keywords, weigh } = question;
  const texts = lines.map(({ text }) => text);
  let best: Place | null = null;
  for (const [at, { number, text }] of lines.entries()) {
    if (text.trim() === "" || isImport(text)) continue;
    const own = pointsIn(text, keywords, weigh);
    const name = definedName(text);
    const points =
      name === null
        ? own * (isComment(text) ? 0.6 : 1)
        : definitionPoints(texts, at, name, own, question, path);
    if (points > 0 && (best === null || base + points > best.score))
      best = { line: number, score: base + points };
  }
  return best;
}

export type Question = { keywords: readonly Keyword[]; weigh: Weigh; wish: Wish };

function definitionPoints(
  texts: readonly string[],
  at: number,
  name: string,
  own: number,
  { keywords, weigh, wish }: Question,
  path: string,
): number {
  const body = bodyOf(texts, at);
  const named = namePoints(name, keywords, weigh);
  const told = pointsIn(commentAbove(texts, at), keywords, weigh);
  const does = pointsIn(body, keywords, weigh);
  let points = 2.5 * named + 1.2 * told + 0.5 * does + 0.5 * own;
  if (points === 0) return 0;
  const line = texts[at] ?? "";
  // `append` in `log/store.ts` says all of "where is the log appended".
  const all = `${path} ${name}`;
  const stems = new Set(subwords(all));
  if (keywords.length > 1 && named > 0 && keywords.every((one) => hits(one, all, stems) > 0))
    points += 1.5;
  if (isExported(line)) points += 0.5;
  if (!isOutermost(line)) points -= 0.5;
  // Who asks where something is done wants what does it, not the shape of it.
  const shape = /^\s*(?:export\s+)?(?:declare\s+)?(?:type|interface)\b/.test(line);
  if (shape) points -= wish.screen || keywords.some(({ verb }) => verb) ? 1.5 : 0.4;
  if (wish.screen && /return\s*\(?\s*<|^\s*<[A-Z]\w*/m.test(body)) points += 1.5;
  return points;
}

/** What stands below a definition, up to the next one at the same edge. */
function bodyOf(texts: readonly string[], at: number): string {
  const edge = /^\s*/.exec(texts[at] ?? "")?.[0].length ?? 0;
  const found: string[] = [];
  for (const line of texts.slice(at + 1, at + 1 + bodyLines)) {
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    if (line.trim() !== "" && indent <= edge && definedName(line) !== null) break;
    found.push(line);
  }
  return found.join("\n");
}
