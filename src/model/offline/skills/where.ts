import { counted } from "../../../base/in-words.ts";
import { declaredName, isComment, isImport } from "../declarations.ts";
import { filesCalled, testsLast } from "../files.ts";
import { matchesIn, numbered, pageLines, pathsIn, quote, type Line } from "../results.ts";
import { rank } from "../rank.ts";
import { make, type Calls, type Script, type Skill } from "../script.ts";
import { searchesFor, widerSearches } from "../searches.ts";
import { bare, escapeRegExp, fenced, firstBullets, listed, paragraphs } from "../text.ts";
import { readFile, searchText } from "../tools.ts";
import { keywordsOf, matchOf, type Keyword } from "../words.ts";

const lead = "^(?:(?:can|could) (?:you|we) |tell me |show me |find out |i wonder |and |but )*";
const asks = new RegExp(
  `${lead}(?:(?:exactly )?where(?:'s| is| are| does| do| did| can| in)?\\b|find\\b|locate\\b|search for\\b|look for\\b|grep\\b|(?:in )?(?:which|what) (?:file|module|function|class|component|place|line)s?\\b|(?:who|what) (?:calls?|uses?|imports?|references?|throws?|prints?|defines?|implements?|handles?)\\b|(?:all )?(?:usages?|callers?|references?|uses) (?:of|to)\\b|how (?:is|are|does|do)\\b|is there (?:a|an|any)\\b)`,
  "i",
);
const asksForUses =
  /\b(?:used|uses?|usages?|calls?|called|callers?|references?|referenced|imports?|imported)\b/i;
const quotedText = /"([^"]{3,})"|“([^”]{3,})”|`([^`]*\s[^`]*)`|'([^']*\s[^']*)'(?!\w)/;
const fileName = /(?:^|[\s`"'])((?:[\w@-]+\/)*[\w@-][\w@.-]*\.[a-z]{1,5})[`"']?$/i;

/** "Where is X?", "who calls X?", "where does the error message "…" come from?" */
export const where: Skill = (request) => {
  const question = bare(request);
  if (!asks.test(question)) return null;
  const quoted = quotedText.exec(question)?.slice(1).find(Boolean);
  if (quoted !== undefined && !/^[\w$]+$/.test(quoted)) return findText(quoted);
  const file = fileName.exec(question)?.[1];
  if (file !== undefined && !asksForUses.test(question)) return findFile(file);
  const rest = question.replace(asks, " ");
  const keywords = keywordsOf(rest);
  if (keywords.length === 0) return null;
  return asksForUses.test(question)
    ? findUses(keywords)
    : findPlaces(rest, /\btest/i.test(question));
};

function* findFile(name: string): Script {
  const paths = yield* filesCalled(name);
  return paths.length === 0
    ? `I found no file called \`${name}\` among those that .gitignore does not exclude.`
    : firstBullets(
        paths.map((path) => `\`${path}:1\``),
        20,
      );
}

/** The text letter by letter; if no line has it, with a gap for one word, as in a template. */
function* findText(text: string): Script {
  const words = text.trim().split(/\s+/);
  const gap = ".{1,40}";
  const fixed = words.map((word) => (/[\d"'`/\\<>{}$%]/.test(word) ? gap : escapeRegExp(word)));
  const withGap = words.map((_, at) => fixed.with(at, gap).join(" ")).join("|");
  const exact = yield* make(searchText(escapeRegExp(text), { ignoreCase: true, limit: 40 }));
  let found = matchesIn(exact.text);
  const isExact = found.length > 0;
  if (!isExact && words.length >= 3 && words.length <= 20)
    found = matchesIn((yield* make(searchText(withGap, { ignoreCase: true, limit: 40 }))).text);
  if (found.length === 0)
    return `No line contains “${text}”. I searched the text of all files that .gitignore does not exclude.`;
  const isRaised = (line: string): boolean =>
    /\b(?:throw|raise|\w*Error|Errorf|panic|fail|reject|log|print|echo)/.test(line);
  const sorted = found.toSorted((a, b) => Number(isRaised(b.text)) - Number(isRaised(a.text)));
  const opening = isExact ? `“${text}” is in` : `No line contains exactly “${text}”. Close matches`;
  return listed(opening, testsLast(sorted).map(quote), 12);
}

/** The best match for the words, with an excerpt, and other places. */
export function* findPlaces(words: string, wantsTests = false): Script {
  const keywords = keywordsOf(words);
  if (keywords.length === 0) return "Which name or word should I look for?";
  const name = keywords.map(({ word }) => word).join(" ");
  const isHit = ({ path, text }: Line): boolean =>
    keywords.some((keyword) => matchOf(keyword, `${path} ${text}`) > 0);
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
    .filter((keyword) => matchOf(keyword, seen) === 0)
    .map(({ word }) => `“${word}”`);
  return paragraphs(
    `**\`${best.path}:${best.line}\`** is the best match for “${name}”.${missing.length > 0 ? ` It does not mention ${missing.join(" or ")}.` : ""}`,
    lines.length > 0 ? fenced(excerpt, best.path) : "",
    listed("Other places", others.slice(0, 5).map(quote), 5),
  );
}

function* search(calls: ReturnType<typeof searchesFor>): Calls<Line[]> {
  const steps = yield [...calls];
  return steps.flatMap((step, at) =>
    step.failed
      ? []
      : calls[at]?.tool === searchText("").tool
        ? matchesIn(step.text)
        : pathsIn(step.text).map((path) => ({ path, line: 1, text: "" })),
  );
}

/** Where a name is used, apart from its declaration and imports. */
function* findUses(keywords: readonly Keyword[]): Script {
  const name = keywords.map(({ word }) => word).join(" ");
  const pattern = keywords.map(({ word }) => `\\b${escapeRegExp(word)}\\b`).join("|");
  const step = yield* make(searchText(pattern, { limit: 100 }));
  const found = matchesIn(step.text);
  const isDeclaration = ({ text }: Line): boolean =>
    keywords.some(({ word }) => word === declaredName(text));
  const declared = found.filter(isDeclaration);
  const imports = found.filter(({ text }) => isImport(text));
  const uses = testsLast(found).filter(
    (one) =>
      !isDeclaration(one) &&
      !isImport(one.text) &&
      !isComment(one.text) &&
      !one.path.endsWith(".md"),
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
