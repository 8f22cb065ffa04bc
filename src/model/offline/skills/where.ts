import { counted } from "../../../base/in-words.ts";
import { declaredName, isComment, isImport } from "../declarations.ts";
import { filesCalled, testsLast, isData, isProse, isTest } from "../files.ts";
import {
  parseMatches,
  numbered,
  pageLines,
  parsePaths,
  quote,
  type MatchedLine,
} from "../results.ts";
import { make, type PlannedCalls, type AnswerScript, type Skill } from "../script.ts";
import { bare, escapeRegExp, fenced, firstBullets, listed, paragraphs } from "../text.ts";
import { readFile, searchText, findFiles, type PlannedCall } from "../tools.ts";
import { extractKeywords, rateMatch, type Keyword, toGlob, toPattern, stemAll } from "../words.ts";

const lead = "^(?:(?:can|could) (?:you|we) |tell me |show me |find out |i wonder |and |but )*";
const asks = new RegExp(
  `${lead}(?:(?:exactly )?where(?:'s| is| are| does| do| did| can| in)?\\b|find\\b|locate\\b|search for\\b|look for\\b|grep\\b|(?:in )?(?:which|what) (?:file|module|function|class|component|place|line)s?\\b|(?:who|what) (?:calls?|uses?|imports?|references?|throws?|prints?|defines?|implements?|handles?)\\b|(?:all )?(?:usages?|callers?|references?|uses) (?:of|to)\\b|how (?:is|are|does|do)\\b|is there (?:a|an|any)\\b|what happens (?:when|if|with|to)\\b|(?:what|when) does\\b)`,
  "i",
);
/** Missing things cannot be searched for. */
const asksForMissing =
  /^(?:which|find|what \w+s (?:are|do|have)\b).*(?:n't|\b(?:not|never|without|unused))\b/i;
const asksForUses =
  /\b(?:used|uses?|usages?|calls?|called|callers?|references?|referenced|imports?|imported)\b/i;
const quotedText = /"([^"]{3,})"|“([^”]{3,})”|`([^`]*\s[^`]*)`|'([^']*\s[^']*)'(?!\w)/;
const fileName = /(?:^|[\s`"'])((?:[\w@-]+\/)*[\w@-][\w@.-]*\.[a-z]{1,5})[`"']?$/i;

/** "Where is X?", "who calls X?", "where does the error message "…" come from?" */
export const where: Skill = (request) => {
  const question = bare(request);
  if (!asks.test(question) || asksForMissing.test(question)) return null;
  const quoted = quotedText.exec(question)?.slice(1).find(Boolean);
  if (quoted !== undefined && !/^[\w$]+$/.test(quoted)) return findText(quoted);
  const file = fileName.exec(question)?.[1];
  if (file !== undefined && !asksForUses.test(question)) return findFile(file);
  const rest = question.replace(asks, " ");
  const keywords = extractKeywords(rest);
  if (keywords.length === 0) return null;
  if (asksForUses.test(question)) return findUses(keywords);
  const name = keywords.find(({ isName }) => isName)?.word;
  const isRaised = name !== undefined && /\b(?:raised|thrown)$/i.test(question);
  return isRaised ? findRaised(name, rest) : findPlaces(rest, /\btest/i.test(question));
};

function* findFile(name: string): AnswerScript {
  const paths = yield* filesCalled(name);
  return paths.length === 0
    ? `I found no file called \`${name}\` among those that .gitignore does not exclude.`
    : firstBullets(
        paths.map((path) => `\`${path}:1\``),
        20,
      );
}

const raises = /\b(?:throw|raise|\w*Error|Errorf|panic|fail|reject|log|print|echo)/;

/** The text letter by letter, or with any word in place of a value, as a template has it. */
function* findText(text: string): AnswerScript {
  const fixed = (word: string): boolean => !/[\d"'`/\\<>{}$%]/.test(word);
  const words = text.trim().split(/\s+/);
  const withGaps = words.map((_, at) =>
    words
      .map((word, index) => (index !== at && fixed(word) ? escapeRegExp(word) : ".{1,40}"))
      .join(" "),
  );
  const patterns = [escapeRegExp(text), ...(words.length >= 3 ? [withGaps.join("|")] : [])];
  for (const [at, pattern] of patterns.entries()) {
    const step = yield* make(
      searchText(pattern, { about: `“${text}”`, ignoreCase: true, limit: 40 }),
    );
    const found = parseMatches(step.text).toSorted(
      (a, b) => Number(raises.test(b.text)) - Number(raises.test(a.text)),
    );
    const opening =
      at === 0 ? `“${text}” is in` : `No line contains exactly “${text}”. Close matches`;
    if (found.length > 0) return listed(opening, testsLast(found).map(quote), 12);
  }
  return `No line contains “${text}”. I searched the text of all files that .gitignore does not exclude.`;
}

/** Where an error is raised, or else what the words find. */
function* findRaised(name: string, words: string): AnswerScript {
  const pattern = `\\b(throw|raise|panic|Err|reject)\\b.*\\b${escapeRegExp(name)}\\b`;
  const found = parseMatches(
    (yield* make(searchText(pattern, { about: `where ${name} is raised`, limit: 20 }))).text,
  );
  const [first, ...others] = testsLast(found);
  return first
    ? paragraphs(
        `**\`${first.path}:${first.line}\`**  ${first.text.trim()}`,
        listed("Other places", others.map(quote), 8),
      )
    : yield* findPlaces(words);
}

/** The best match for the words, with an excerpt, and other places. */
export function* findPlaces(words: string, wantsTests = false): AnswerScript {
  const keywords = extractKeywords(words);
  if (keywords.length === 0) return "Which name or word should I look for?";
  const name = keywords.map(({ word }) => word).join(" ");
  const isHit = ({ path, text }: MatchedLine): boolean =>
    keywords.some((keyword) => rateMatch(keyword, `${path} ${text}`) > 0);
  let found = (yield* search(searchesFor(keywords))).filter(isHit);
  if (found.length === 0) found = (yield* search(widerSearches(keywords))).filter(isHit);
  const [best, ...others] = rank(found, keywords, wantsTests);
  if (!best)
    return `I found nothing for “${name}”: I searched the text and the names of all files that .gitignore does not exclude. Try another word for it.`;
  const page = yield* make(readFile(best.path, Math.max(1, best.line - 2), 12));
  const lines = pageLines(best.path, page.text);
  const excerpt = numbered(lines);
  const seen = `${best.path} ${excerpt}`;
  const missing = keywords
    .filter((keyword) => rateMatch(keyword, seen) === 0)
    .map(({ word }) => `“${word}”`);
  return paragraphs(
    `**\`${best.path}:${best.line}\`** is the best match for “${name}”.${missing.length > 0 ? ` It does not mention ${missing.join(" or ")}.` : ""}`,
    lines.length > 0 ? fenced(excerpt, best.path) : "",
    listed("Other places", others.slice(0, 5).map(quote), 5),
  );
}

function* search(calls: ReturnType<typeof searchesFor>): PlannedCalls<MatchedLine[]> {
  const steps = yield [...calls];
  return steps.flatMap((step, at) =>
    step.failed
      ? []
      : calls[at]?.tool === searchText("").tool
        ? parseMatches(step.text)
        : parsePaths(step.text).map((path) => ({ path, line: 1, text: "" })),
  );
}

/** Where a name is used, apart from its declaration and imports. */
function* findUses(keywords: readonly Keyword[]): AnswerScript {
  const name = keywords.map(({ word }) => word).join(" ");
  const pattern = keywords.map(({ word }) => `\\b${escapeRegExp(word)}\\b`).join("|");
  const step = yield* make(searchText(pattern, { about: name, limit: 100 }));
  const found = parseMatches(step.text);
  const isDeclaration = ({ text }: MatchedLine): boolean =>
    keywords.some(({ word }) => word === declaredName(text));
  const declared = found.filter(isDeclaration);
  const imports = found.filter(({ text }) => isImport(text));
  const uses = testsLast(found).filter(
    (match) =>
      !isDeclaration(match) &&
      !isImport(match.text) &&
      !isComment(match.text) &&
      !match.path.endsWith(".md"),
  );
  if (found.length === 0)
    return `No line contains “${name}” as a word; I searched the text of all files that .gitignore does not exclude.`;
  return paragraphs(
    listed(`“${name}” is used in ${counted(uses.length, "place")}`, uses.map(quote), 15) ||
      `Nothing uses “${name}”.`,
    listed("Declared", declared.map(quote), 3),
    listed("Imported", imports.map(quote), 8),
  );
}

const inWords = (keywords: readonly Keyword[]): string =>
  keywords.map(({ word }) => word).join(", ");

const declaring =
  "\\b(function\\*?|class|interface|type|enum|const|def|fn|func( \\([^)]*\\))?|struct|trait|module|mod)\\s+[\\w$]*?";

/** Names, words that are close together, declarations, and names of files. */
export function searchesFor(keywords: readonly Keyword[]): PlannedCall[] {
  const nouns = wanted(keywords);
  const names = nouns.filter(({ isName }) => isName);
  const plain = keywords.filter(({ isName }) => !isName).slice(0, 4);
  return [
    ...(names.length > 0
      ? [searchText(names.map(toPattern).join("|"), { about: inWords(names), limit: 80 })]
      : []),
    ...(plain.length > 1
      ? [
          searchText(pairUp(plain), {
            about: `${inWords(plain)} on one line`,
            ignoreCase: true,
            limit: 80,
          }),
        ]
      : []),
    ...(names.length < nouns.length
      ? [
          searchText(`${declaring}(${nouns.map(toPattern).join("|")})`, {
            about: `declarations of ${inWords(nouns)}`,
            limit: 80,
          }),
        ]
      : []),
    findFiles(filesNamedAfter(nouns), undefined, `files named after ${inWords(nouns)}`),
  ];
}

/** Any line with any of the words, and any file named after one. */
export const widerSearches = (keywords: readonly Keyword[]): PlannedCall[] => [
  searchText(keywords.map(({ stem }) => stem).join("|"), {
    about: inWords(keywords),
    ignoreCase: true,
    limit: 80,
  }),
  findFiles(
    `{${keywords.map((keyword) => `**/*${toGlob(keyword)}*`).join(",")},/}`,
    undefined,
    `files named after ${inWords(keywords)}`,
  ),
];

const wanted = (keywords: readonly Keyword[]): readonly Keyword[] => {
  const nouns = keywords.filter(({ similar }) => similar.length === 0);
  return (nouns.length > 0 ? nouns : keywords).slice(0, 4);
};

/** Two words on a line, in either order, at most 60 characters apart. */
function pairUp(plain: readonly Keyword[]): string {
  const forms = plain.map(({ stem, similar }) => `(${[stem, ...similar].join("|")})`);
  return forms
    .flatMap((left, at) =>
      forms.slice(at + 1).map((right) => `${left}.{0,60}${right}|${right}.{0,60}${left}`),
    )
    .join("|");
}

/** With several words, only files with two of them in the name. */
function filesNamedAfter(nouns: readonly Keyword[]): string {
  const globs = nouns.map(toGlob);
  const [only = ""] = globs;
  if (globs.length === 1) return `**/*${only}*`;
  const pairs = globs.flatMap((left) =>
    globs.filter((right) => right !== left).map((right) => `**/*${left}*${right}*`),
  );
  return `{${pairs.join(",")}}`;
}

/** The best line of each file, best first. */
export function rank(
  found: readonly MatchedLine[],
  keywords: readonly Keyword[],
  wantsTests: boolean,
): MatchedLine[] {
  const weights = new Map(keywords.map((keyword) => [keyword, weigh(keyword, found)]));
  const best = new Map<string, { match: MatchedLine; score: number }>();
  for (const match of found) {
    const score = rateLine(match, weights) + kindScore(match.path, wantsTests);
    const known = best.get(match.path);
    if (!known || score > known.score) best.set(match.path, { match, score });
  }
  return [...best.values()]
    .sort((a, b) => b.score - a.score || (a.match.path < b.match.path ? -1 : 1))
    .map(({ match }) => match);
}

/** From 0.5 for a word in every file found to 2.5 for one in a single file; verbs count half. */
function weigh(keyword: Keyword, found: readonly MatchedLine[]): number {
  const all = new Set(found.map(({ path }) => path));
  const hits = new Set(
    found
      .filter(({ path, text }) => rateMatch(keyword, `${path} ${text}`) > 0)
      .map(({ path }) => path),
  );
  const rarity = Math.log((all.size + 1) / (hits.size + 1)) / Math.log(all.size + 1.1);
  return (0.5 + 2 * rarity) * (keyword.similar.length > 0 ? 0.5 : 1);
}

function rateLine({ path, text }: MatchedLine, weights: ReadonlyMap<Keyword, number>): number {
  const name = declaredName(text);
  const file = path.split("/").at(-1) ?? "";
  const folder = path.slice(0, -file.length);
  let covered = 0;
  let score = isImport(text) ? -2 : isComment(text) ? -0.5 : 0;
  for (const [keyword, weight] of weights) {
    const inLine =
      name !== null && rateMatch(keyword, name) > 0
        ? 3 * rateMatch(keyword, name)
        : 1.5 * rateMatch(keyword, text);
    covered += rateMatch(keyword, `${path} ${text}`);
    score += weight * (inLine + 1.5 * rateMatch(keyword, file) + 0.75 * rateMatch(keyword, folder));
  }
  // A name made up only of the question's words is very likely what was asked for.
  const keywords = [...weights.keys()];
  const isExact =
    name !== null &&
    [...stemAll(name)].every((part) =>
      keywords.some((match) => rateMatch(match, part) > 0 || match.word === name),
    );
  const share = covered / keywords.length;
  return score * (0.4 + 0.6 * share) + (name === null ? 0 : 0.5) + (isExact ? 2 * share : 0);
}

function kindScore(path: string, wantsTests: boolean): number {
  const test = isTest(path) === wantsTests ? 0 : -4;
  return test - path.split("/").length * 0.1 - (isProse(path) ? 5 : 0) - (isData(path) ? 4 : 0);
}
