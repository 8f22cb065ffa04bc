/** The searches for what a question names: for the phrase, for names that hold it, for files. */

import { call, type Call } from "./skill.ts";
import { globOf, patternOf, phrasePattern, type Keyword } from "./words.ts";
import type { Wish } from "./wish.ts";

const definers =
  "(?:function\\*?|class|interface|type|enum|const|def|fn|func|struct|trait|module|mod)";
const testFiles = "{**/*{.,_,-}{test,spec}.*,**/{test,tests,spec,__tests__}/**,**/test_*}";

export function searchesFor(keywords: readonly Keyword[], wish: Wish): Call[] {
  const nouns = keywords.filter(({ verb }) => !verb);
  const wanted = (nouns.length > 0 ? nouns : keywords).slice(0, 4);
  const names = wanted.filter(({ name }) => name);
  const any = wanted.map(patternOf).join("|");
  const calls: Call[] = [];
  if (names.length > 0)
    calls.push(call("grep", { pattern: names.map(patternOf).join("|"), limit: 150 }));
  if (wanted.length > 1)
    calls.push(call("grep", { pattern: phrasePattern(wanted), ignore_case: true, limit: 60 }));
  if (wish.tests) calls.push(call("grep", { pattern: any, glob: testFiles, limit: 100 }));
  if (names.length < wanted.length && !wish.uses) {
    const stems = wanted.map(({ stem }) => stem);
    const parts = stems.flatMap((one) => [`_${one}`, one.charAt(0).toUpperCase() + one.slice(1)]);
    const inName = `(?:(?:${stems.join("|")})|[\\w$]*(?:${parts.join("|")}))`;
    calls.push(call("grep", { pattern: `\\b${definers}\\s+${inName}`, limit: 120 }));
  }
  const together = nearbyWords(keywords);
  if (together !== null)
    calls.push(call("grep", { pattern: together, ignore_case: true, limit: 80 }));
  const done = keywords.filter(({ verb }) => verb);
  if (done.length > 0 && nouns.length > 0 && !wish.uses)
    calls.push(call("grep", { pattern: deedsOf(done), glob: filesOf(nouns), limit: 100 }));
  if (calls.length === 0) calls.push(call("grep", { pattern: any, limit: 100 }));
  if (!wish.uses) {
    const list = wanted.map(globOf);
    const globs = list.length === 1 ? (list[0] ?? "") : `{${list.join(",")}}`;
    calls.push(call("glob", { pattern: `**/*${globs}*` }));
  }
  return calls;
}

/** What is done, at the start of a word; searched only in files that are named after the thing. */
const deedsOf = (verbs: readonly Keyword[]): string =>
  `(?i)\\b(?:${verbs.flatMap(({ stem, also }) => [stem, ...also]).join("|")})`;

function filesOf(nouns: readonly Keyword[]): string {
  const names = nouns.slice(0, 3).map(globOf);
  return `{${names.flatMap((name) => [`**/*${name}*`, `**/*${name}*/**`]).join(",")}}`;
}

/** Lines that hold two different of the words, in either order. */
function nearbyWords(keywords: readonly Keyword[]): string | null {
  const plain = keywords.filter(({ name }) => !name).slice(0, 4);
  if (plain.length < 2) return null;
  const forms = plain.map(
    ({ stem, also, verb }) => `\\b(?:${[stem, ...(verb ? also : [])].join("|")})`,
  );
  const pairs = forms.flatMap((one, at) =>
    forms.flatMap((other, index) => (index === at ? [] : [`${one}.{0,80}${other}`])),
  );
  return pairs.join("|");
}
