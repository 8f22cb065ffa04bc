/** Keywords of a question, and the forms in which code may write them. */

import { stem, subwords } from "./stem.ts";

const stop = new Set(
  `a all an and any are as at be been being by can code codebase could did do does done each exactly file files
  find folder for from function get give go handle handled handles happen happens has have here how i in into is
  it its line locate look made make makes me method my of on one or our out part place please point project repo
  repository search see should source tell that the their them then there these this those to us use used uses
  using was we what when where which while who whose why will with within work works you your define defined
  defines definition implement implemented implements implementation locate located declare declared declares
  declaration call called calls caller callers reference references referenced usage usages class variable
  constant module component live lives come comes exist exists know thing things named name want need actually
  test tests tested testing spec document documented documentation described readme explain about`.split(
    /\s+/,
  ),
);

/** Words that say what is done with a thing rather than which thing: worth less than a name. */
const verbs: Record<string, readonly string[]> = {
  draw: ["render", "paint", "layout", "display", "show"],
  render: ["draw", "display", "paint"],
  show: ["display", "render", "draw"],
  display: ["render", "show", "draw"],
  paint: ["draw", "render"],
  print: ["write", "output"],
  write: ["append", "save", "persist"],
  append: ["write", "add", "push"],
  save: ["persist", "write", "store"],
  store: ["save", "persist", "write"],
  persist: ["save", "write", "store"],
  read: ["load", "parse"],
  load: ["read", "open"],
  delete: ["remove", "unlink"],
  remove: ["delete"],
  create: ["make", "new", "build"],
  build: ["make", "create", "compose"],
  check: ["validate", "assert", "verify", "judge", "review"],
  validate: ["check", "assert", "verify", "parse"],
  compute: ["calculate", "measure"],
  calculate: ["compute", "measure"],
  measure: ["compute", "count"],
  count: ["measure", "tally"],
  estimate: ["measure", "compute", "weigh"],
  send: ["post", "emit", "push"],
  parse: ["read", "decode"],
  start: ["run", "launch", "main"],
  run: ["execute", "start", "spawn"],
  decide: ["choose", "plan", "judge"],
  choose: ["pick", "select", "decide"],
  set: ["assign", "define"],
  keep: ["hold", "retain"],
  change: ["edit", "update", "replace"],
  cut: ["trim", "clip", "shorten"],
};

const verbsByStem = new Map(Object.entries(verbs).map(([verb, also]) => [stem(verb), also]));

export type Keyword = {
  /** As the user wrote it. */
  word: string;
  stem: string;
  /** Stems of words that mean nearly the same. */
  also: readonly string[];
  /** Says what is done: helps to rank, does not find by itself. */
  verb: boolean;
  /** Written as code writes names: taken letter by letter. */
  name: boolean;
};

export function keywordsOf(question: string): Keyword[] {
  const seen = new Set<string>();
  const words = question.match(/[`"'][\w$.-]+[`"']|[A-Za-z_$][\w$]*(?:-\w+)*/g) ?? [];
  const found = words.flatMap((raw): Keyword[] => {
    const word = raw.replace(/^[`"']|[`"']$/g, "");
    const name = isName(word) || word !== raw;
    if (!name && (stop.has(word.toLowerCase()) || word.length < 2)) return [];
    const base = name ? word : stem(word.toLowerCase());
    if (seen.has(base)) return [];
    seen.add(base);
    const also = name ? undefined : verbsByStem.get(base);
    return [{ word, stem: base, also: (also ?? []).map(stem), verb: also !== undefined, name }];
  });
  return found.slice(0, mostKeywords);
}

/** More than any question has; a paste may have thousands. */
const mostKeywords = 12;

/** camelCase, snake_case, CONSTANTS: nobody writes so who does not mean the very name. */
const isName = (word: string): boolean => /[a-z\d][A-Z]|\w_\w|\$/.test(word);

/** How far a text, by its stems, holds a keyword: 0 to 1. */
export function hits(
  { stem: own, also, name, word }: Keyword,
  text: string,
  stems: ReadonlySet<string>,
): number {
  if (name) {
    if (new RegExp(`(?<![\\w$])${escape(word)}(?![\\w$])`).test(text)) return 1;
    const parts = subwords(word);
    return parts.length > 1 && parts.every((part) => stems.has(part)) ? 0.6 : 0;
  }
  if (stems.has(own)) return 1;
  if (own.length >= 4 && [...stems].some((one) => isKin(own, one))) return 0.6;
  return also.some((other) => stems.has(other)) ? 0.6 : 0;
}

/** "config" and "configuration", "compact" and "compaction". */
const isKin = (a: string, b: string): boolean =>
  b.length >= 4 && (a.startsWith(b) || b.startsWith(a));

/** A keyword at the start of a word or of a part of a name, whatever the case of the letters. */
export function patternOf({ stem: own, name, word }: Keyword): string {
  if (name) return `\\b${escape(word)}\\b`;
  const form = escape(own).replace(/y$/, "[yi]");
  const capital = form.charAt(0).toUpperCase() + form.slice(1);
  return `(?:\\b|_)${form}|${capital}|\\b${form.toUpperCase()}`;
}

/** Words that follow one another, in the ways that code writes it: camelCase, snake_case, kebab-case. */
export const phrasePattern = (words: readonly Keyword[]): string =>
  words.map(({ stem: own }) => `${escape(own).replace(/y$/, "[yi]")}[a-z]{0,3}`).join("[\\s_.-]?");

/** A glob for names that hold the keyword, whatever the case of its first letter. */
export function globOf({ stem: own, name, word }: Keyword): string {
  const text = name ? word : own;
  const first = text.charAt(0);
  const plain = text.slice(1).replace(/[^\w-]/g, "?");
  return /[a-z]/i.test(first) ? `[${first.toLowerCase()}${first.toUpperCase()}]${plain}` : plain;
}

export const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
