import { isSource, isTest } from "../files.ts";
import {
  numbered,
  pageLines,
  parseMatches,
  parsePaths,
  quote,
  type MatchedLine,
} from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, escapeRegExp, fenced, listed, paragraphs } from "../text.ts";
import { findFiles, readFile, searchText, toolNames } from "../tools.ts";

const asks =
  /^(?:where(?:'s| is| are| does| do)?|find|search for|grep|who (?:calls|uses)|which file)\s+(.+)$/i;

/** "Where is X?" */
export const where: Skill = (request) => {
  const words = extractWords(asks.exec(bare(request))?.[1] ?? "");
  return words.length === 0 ? null : findPlaces(words);
};

/** Words that name nothing in the code. */
const fillers = new Set(
  `a an and are as at be by called class code declared defined do does file for from function get have in is
  it its located me method my of on or our project the their this that to type used we what with you`.split(
    /\s+/,
  ),
);

/** Quoted text is one word. */
function extractWords(question: string): string[] {
  const quoted = /["“`']([^"”`']{2,})["”`']/.exec(question)?.[1];
  if (quoted !== undefined) return [quoted];
  const words = question.match(/[\w$.-]*[\w$]/g) ?? [];
  return [...new Set(words)].filter((word) => !fillers.has(word.toLowerCase())).slice(0, 4);
}

/** The part of a word that its other forms share: "written" and "writer" are "writ". */
const stemOf = (word: string): string =>
  /^[a-z]+$/.test(word) ? word.replace(/(?<=\w{3})(?:t?ten|ing|ed|er|e|s)$/, "") : word;

const declaring =
  "\\b(function\\*?|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|mod)\\s+[\\w$]*";
const declares = new RegExp(declaring);
const imports = /^\s*(?:import|from|use|require|#include)\b/;

/** The best match for the words, with an excerpt, and other places. */
function* findPlaces(words: readonly string[]): AnswerScript {
  const stems = words.map(stemOf);
  const any = stems.map(escapeRegExp).join("|");
  const about = words.join(", ");
  const globs = stems.map((stem) => `**/*${stem.replace(/[^\w-]/g, "?")}*`);
  const calls = [
    searchText(any, { about, ignoreCase: true, limit: 200 }),
    searchText(`${declaring}(${any})`, {
      about: `declarations of ${about}`,
      ignoreCase: true,
      limit: 80,
    }),
    findFiles(`{${globs.join(",")},/}`, undefined, `files named after ${about}`),
  ];
  const steps = yield calls;
  const found = steps.flatMap(({ failed, tool, text }) => {
    if (failed) return [];
    if (tool === toolNames.grep) return parseMatches(text);
    return parsePaths(text).map((path) => ({ path, line: 1, text: "" }));
  });
  const [best, ...others] = rank(found, stems);
  if (!best)
    return `I found nothing for “${words.join(" ")}”: I searched the text and the names of all files that .gitignore does not exclude. Try another word for it.`;
  const page = yield* make(readFile(best.path, Math.max(1, best.line - 2), 12));
  const lines = pageLines(best.path, page.text);
  return paragraphs(
    `**\`${best.path}:${best.line}\`** is the best match for “${words.join(" ")}”.`,
    lines.length > 0 ? fenced(numbered(lines), best.path) : "",
    listed("Other places", others.map(quote), 5),
  );
}

/** The best line of each file, best first: how many of the words it and its path hold. */
function rank(found: readonly MatchedLine[], stems: readonly string[]): MatchedLine[] {
  const score = ({ path, text }: MatchedLine): number => {
    const holds = (place: string) =>
      stems.filter((stem) => place.toLowerCase().includes(stem.toLowerCase())).length;
    const isExact = stems.some((stem) => new RegExp(`\\b${escapeRegExp(stem)}\\b`).test(text));
    const kind = (isSource(path) ? 0 : -3) - (isTest(path) ? 2 : 0) - path.split("/").length * 0.1;
    return (
      2 * holds(text) +
      1.5 * holds(path) +
      (declares.test(text) ? 2 : imports.test(text) ? -2 : 0) +
      Number(isExact) +
      kind
    );
  };
  const scored = found.map((match) => ({ match, score: score(match) }));
  scored.sort((a, b) => b.score - a.score || (a.match.path < b.match.path ? -1 : 1));
  return [
    ...new Map(scored.toReversed().map(({ match }) => [match.path, match])).values(),
  ].reverse();
}
