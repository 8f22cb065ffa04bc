/** Which of many places is the one that was asked for. */

import type { Keyword } from "./words.ts";

export type Match = { path: string; line: number; text: string };
export type Candidate = Match & { score: number };

const definition =
  /^\s*(export\s+)?(default\s+)?(async\s+)?(public\s+|private\s+|pub\s+|static\s+)*(function\*?|class|interface|type|enum|const|let|def|fn|func|struct|impl|trait|module)\s/;
const test = /(^|\/)(tests?|__tests__|spec|fixtures?|examples?|bench)(\/|$)|[._-](test|spec)\./i;
const prose = /\.(md|mdx|txt|rst|adoc)$/i;
const data = /\.(json|lock|ya?ml|toml|csv|svg|snap|jsonl)$/i;

export type Wish = {
  /** The question asks for tests, or for documentation. */
  tests: boolean;
  prose: boolean;
  /** It asks where something is drawn or shown. */
  screen: boolean;
};

export function wishOf(question: string): Wish {
  return {
    tests: /\btest(s|ed|ing)?\b|\bspec\b/i.test(question),
    prose: /\b(document(ed|ation)|readme|explained|described)\b/i.test(question),
    screen:
      /\b(drawn?|draws|drawing|render(s|ed|ing)?|display(s|ed)?|shown?|painted|screen)\b/i.test(
        question,
      ),
  };
}

/** Best first; one candidate a definition or file, so that a list of ten is ten places. */
export function rank(
  matches: readonly Match[],
  keywords: readonly Keyword[],
  wish: Wish,
): Candidate[] {
  const scored = matches.map((match) => ({ ...match, score: score(match, keywords, wish) }));
  const best = new Map<string, Candidate>();
  for (const candidate of scored) {
    const known = best.get(candidate.path);
    if (!known || candidate.score > known.score) best.set(candidate.path, candidate);
  }
  return [...best.values()].sort(
    (a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line,
  );
}

function score({ path, text }: Match, keywords: readonly Keyword[], wish: Wish): number {
  const line = text.toLowerCase();
  const lowerPath = path.toLowerCase();
  const file = lowerPath.split("/").at(-1) ?? "";
  const defined = definition.test(text);
  let points = 0;
  for (const { forms, verb } of keywords) {
    const weight = verb ? 1 : 2;
    const has = (where: string): boolean =>
      forms.some((form) => where.includes(form.toLowerCase()));
    if (has(line)) points += 2 * weight;
    if (has(file)) points += 2 * weight;
    else if (has(lowerPath)) points += 1.5 * weight;
    if (defined && has(nameIn(text))) points += 2 * weight;
  }
  if (defined) points += 1.5;
  if (/^\s*(\/\/|\*|#|\/\*)/.test(text)) points -= 1;
  if (/^\s*(import|export \*|from|use|require)\b/.test(text)) points -= 4;
  if (wish.screen && /\.(tsx|jsx|vue|svelte|html)$/.test(path)) points += 3;
  if (test.test(path)) points += wish.tests ? 4 : -6;
  if (prose.test(path)) points += wish.prose ? 4 : -6;
  if (data.test(path)) points -= 4;
  return points - path.split("/").length * 0.1;
}

/** The name that a line defines, in lower case. */
const nameIn = (text: string): string =>
  (
    /(?:function\*?|class|interface|type|enum|const|let|def|fn|func|struct|impl|trait|module)\s+([\w$]+)/.exec(
      text,
    )?.[1] ?? ""
  ).toLowerCase();
