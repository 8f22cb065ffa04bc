import { definedName, isComment, isImport } from "../definition.ts";
import { pinpoint } from "../pinpoint.ts";
import { pathPoints, rank, weightsOf, type Candidate, type Weigh } from "../rank.ts";
import { matchesIn, numberedLines, pathsIn, type Line, type Match } from "../results.ts";
import { searchesFor } from "../searches.ts";
import { call, type Skill } from "../skill.ts";
import { bare, bullets, clip, count, fenced, paragraphs } from "../text.ts";
import { argument, type Step, type Turn } from "../turn.ts";
import { hits, keywordsOf, type Keyword } from "../words.ts";
import { isTest, kindPoints, wishOf, type Wish } from "../wish.ts";
import { subwords } from "../stem.ts";

const lead =
  "^(?:(?:can|could) (?:you|we) |(?:do|did) you (?:know|see) |tell me |show me |find out |i wonder |and |but )*";
const asks = new RegExp(
  `${lead}(?:(?:exactly )?where(?:'s| is| are| does| do| did| can| in| would| should)?\\b|find\\b|locate\\b|search for\\b|look for\\b|(?:in )?(?:which|what) (?:file|module|function|class|component|place|line)s?\\b|(?:who|what)(?:'s| is| else)? (?:calls?|uses?|imports?|references?|using|calling|draws?|renders?|defines?|implements?|handles?)\\b|(?:all )?(?:usages?|callers?|references?|uses) (?:of|to)\\b|(?:how (?:is|are|does|do)|explain|describe)\\b|list (?:all )?(?:usages?|callers?|references?))`,
  "i",
);

/** So many files are read; the lines around the best match of each. */
const filesRead = 3;
const linesRead = 90;

/**
 * "Where is X": searches for the name as a phrase, for its words, and for files called so; ranks
 * what it finds, reads the best places, and names the best as `file:line` with the others behind it.
 */
export const where: Skill = (turn) => {
  const question = bare(turn.question);
  if (!asks.test(question)) return null;
  const keywords = keywordsOf(question.replace(asks, " "));
  if (keywords.length === 0) return null;
  const wish = wishOf(question);
  const searched = turn.steps.filter(({ tool }) => tool === "grep" || tool === "glob");
  if (searched.every(({ gone }) => gone))
    return {
      say: `Searching for ${keywords.map(({ word }) => `“${word}”`).join(" ")}.`,
      calls: searchesFor(keywords, wish),
    };
  const matches = searched.flatMap(matchesOf);
  if (wish.uses) return { say: usesOf(matches, keywords) };
  const ranked = rank(matches, keywords, wish).filter(({ path, text }) =>
    holdsOne(keywords, path, text),
  );
  const reads = turn.steps.filter(({ tool }) => tool === "read_file");
  if (reads.length === 0 && ranked.length > 0)
    return {
      calls: ranked
        .slice(0, filesRead)
        .map(({ path, line }) =>
          call("read_file", { path, offset: Math.max(1, line - linesRead / 3), limit: linesRead }),
        ),
    };
  return { say: answer(turn, ranked, weighed(matches, keywords), keywords, wish) };
};

function matchesOf(step: Step): Match[] {
  if (step.failed || step.gone) return [];
  if (step.tool === "grep") return matchesIn(step.text);
  return pathsIn(step.text).map((path) => ({ path, line: 1, text: "" }));
}

const holdsOne = (keywords: readonly Keyword[], ...texts: string[]): boolean => {
  const text = texts.join(" ");
  const stems = new Set(subwords(text));
  return (
    keywords.some((keyword) => !keyword.verb && hits(keyword, text, stems) > 0) ||
    keywords.every(({ verb }) => verb)
  );
};

function weighed(matches: readonly Match[], keywords: readonly Keyword[]): Weigh {
  const files = new Map<string, { path: string; lines: Map<number, string> }>();
  for (const { path, line, text } of matches) {
    const file = files.get(path) ?? { path, lines: new Map<number, string>() };
    file.lines.set(line, text);
    files.set(path, file);
  }
  return weightsOf([...files.values()], keywords);
}

type Best = { path: string; line: number; lines: Line[]; score: number };

function answer(
  turn: Turn,
  ranked: readonly Candidate[],
  weigh: Weigh,
  keywords: readonly Keyword[],
  wish: Wish,
): string {
  const name = keywords.map(({ word }) => word).join(" ");
  const [first] = ranked;
  if (!first)
    return `I found nothing for “${name}” in this folder. I searched the text and the names of all files that .gitignore does not leave out. Try another word for it.`;
  const best = bestRead(turn, ranked, weigh, keywords, wish) ?? { ...first, lines: [] };
  const others = ranked
    .filter(({ path }) => path !== best.path)
    .slice(0, 5)
    .map(
      ({ path, line, text }) =>
        `\`${path}:${line}\`${text.trim() === "" ? "" : `  ${clip(text, 90)}`}`,
    );
  return paragraphs(
    wish.tests && !isTest(best.path) ? `No test names “${name}”; this is where it stands.` : "",
    `**\`${best.path}:${best.line}\`** is the best match for “${name}”.${missing(ranked, best, keywords)}`,
    excerpt(best),
    others.length === 0 ? "" : `Other places:\n${bullets(others)}`,
  );
}

/** Of the pages that were read, the line that answers best. */
function bestRead(
  turn: Turn,
  ranked: readonly Candidate[],
  weigh: Weigh,
  keywords: readonly Keyword[],
  wish: Wish,
): Best | null {
  const found = turn.steps.flatMap((step): Best[] => {
    const path = argument(step, "path");
    const lines = step.tool === "read_file" && !step.failed ? numberedLines(step.text) : [];
    const known = ranked.find((one) => one.path === path);
    if (lines.length === 0 || !known) return [];
    const base = pathPoints(path, keywords, weigh) + kindPoints(path, wish);
    const place = pinpoint(path, lines, { keywords, weigh, wish }, base) ?? {
      line: known.line,
      score: known.score - 5,
    };
    const lost = lostIn(path, lines, ranked, keywords);
    const score = place.score - lost.reduce((sum, keyword) => sum + 2.5 * weigh(keyword), 0);
    return [{ path, lines, line: place.line, score }];
  });
  return found.sort((a, b) => b.score - a.score)[0] ?? null;
}

/** Says so where a word of the question is nowhere near: the match is a weaker one then. */
function missing(ranked: readonly Candidate[], best: Best, keywords: readonly Keyword[]): string {
  const lost = best.lines.length === 0 ? [] : lostIn(best.path, best.lines, ranked, keywords);
  const words = lost.map(({ word }) => `“${word}”`).join(" and ");
  return lost.length === 0 ? "" : ` Of your words, ${words} I did not find there.`;
}

/** Words that neither the path nor the page nor what was found of the file holds. */
function lostIn(
  path: string,
  lines: readonly Line[],
  ranked: readonly Candidate[],
  keywords: readonly Keyword[],
): Keyword[] {
  const found = ranked.filter((one) => one.path === path).map(({ text }) => text);
  const text = [path, ...lines.map((line) => line.text), ...found].join("\n");
  const stems = new Set(subwords(text));
  return keywords.filter((keyword) => !keyword.verb && hits(keyword, text, stems) === 0);
}

function excerpt({ lines, line }: Best): string {
  const at = lines.findIndex(({ number }) => number === line);
  if (at === -1) return "";
  const shown = lines.slice(Math.max(0, at - 2), at + 6);
  return fenced(shown.map(({ number, text }) => `${number}  ${text}`).join("\n"));
}

/** Who calls or uses a thing: places by file, without its definition and the imports of it. */
function usesOf(matches: readonly Match[], keywords: readonly Keyword[]): string {
  const name = keywords.map(({ word }) => word).join(" ");
  const lines = matches.filter(({ path, text }) => text !== "" && holdsOne(keywords, path, text));
  const byPlace = [...new Map(lines.map((one) => [`${one.path}:${one.line}`, one])).values()];
  const defined = byPlace.filter(({ text }) => {
    const own = definedName(text);
    return own !== null && keywords.some(({ word }) => word === own);
  });
  const uses = byPlace.filter(
    (one) => !defined.includes(one) && !isImport(one.text) && !isComment(one.text),
  );
  const imports = byPlace.filter(({ text }) => isImport(text));
  if (byPlace.length === 0) return `I found nothing that names “${name}” in this folder.`;
  const source = uses.filter(({ path }) => !isTest(path));
  const tests = uses.filter(({ path }) => isTest(path));
  const show = (list: readonly Match[]): string =>
    bullets(list.map(({ path, line, text }) => `\`${path}:${line}\`  ${clip(text, 90)}`));
  const [best] = [...source, ...tests];
  return paragraphs(
    best
      ? `“${name}” is used in ${count(uses.length, "place")}${imports.length > 0 ? ` and imported in ${count(new Set(imports.map(({ path }) => path)).size, "file")}` : ""}.`
      : `Nothing uses “${name}” beside its definition${imports.length > 0 ? " and imports" : ""}.`,
    defined.length === 0 ? "" : `Defined:\n${show(defined.slice(0, 3))}`,
    source.length === 0 ? "" : `Used:\n${show(source.slice(0, 12))}${more(source.length, 12)}`,
    tests.length === 0 ? "" : `In tests:\n${show(tests.slice(0, 4))}${more(tests.length, 4)}`,
  );
}

const more = (all: number, shown: number): string =>
  all > shown ? `\n\n${all - shown} more.` : "";
