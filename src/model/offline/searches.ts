/** The searches for the words of a question. */

import { findFiles, searchText, type Call } from "./tools.ts";
import { globOf, patternOf, type Keyword } from "./words.ts";

const declaring =
  "\\b(function\\*?|class|interface|type|enum|const|def|fn|func( \\([^)]*\\))?|struct|trait|module|mod)\\s+[\\w$]*?";

/** Names, words that are close together, declarations, and names of files. */
export function searchesFor(keywords: readonly Keyword[]): Call[] {
  const nouns = wanted(keywords);
  const names = nouns.filter(({ isName }) => isName);
  const plain = keywords.filter(({ isName }) => !isName).slice(0, 4);
  return [
    ...(names.length > 0 ? [searchText(names.map(patternOf).join("|"), { limit: 80 })] : []),
    ...(plain.length > 1 ? [searchText(pairsOf(plain), { ignoreCase: true, limit: 80 })] : []),
    ...(names.length < nouns.length
      ? [searchText(`${declaring}(${nouns.map(patternOf).join("|")})`, { limit: 80 })]
      : []),
    findFiles(filesNamedAfter(nouns)),
  ];
}

/** Any line with any of the words, and any file named after one. */
export const widerSearches = (keywords: readonly Keyword[]): Call[] => [
  searchText(keywords.map(({ stem }) => stem).join("|"), { ignoreCase: true, limit: 80 }),
  findFiles(`{${keywords.map((keyword) => `**/*${globOf(keyword)}*`).join(",")},/}`),
];

const wanted = (keywords: readonly Keyword[]): readonly Keyword[] => {
  const nouns = keywords.filter(({ similar }) => similar.length === 0);
  return (nouns.length > 0 ? nouns : keywords).slice(0, 4);
};

/** Two words on a line, in either order, at most 60 characters apart. */
function pairsOf(plain: readonly Keyword[]): string {
  const forms = plain.map(({ stem, similar }) => `(${[stem, ...similar].join("|")})`);
  return forms
    .flatMap((one, at) =>
      forms.slice(at + 1).map((two) => `${one}.{0,60}${two}|${two}.{0,60}${one}`),
    )
    .join("|");
}

/** With several words, only files with two of them in the name. */
function filesNamedAfter(nouns: readonly Keyword[]): string {
  const globs = nouns.map(globOf);
  const [only = ""] = globs;
  if (globs.length === 1) return `**/*${only}*`;
  const pairs = globs.flatMap((one) =>
    globs.filter((two) => two !== one).map((two) => `**/*${one}*${two}*`),
  );
  return `{${pairs.join(",")}}`;
}
