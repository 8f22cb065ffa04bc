/** The words of a question that name something, and the forms in which code may write them. */

import { escapeRegExp } from "./text.ts";

const irregular = new Map([
  ["drawn", "draw"],
  ["shown", "show"],
  ["written", "writ"],
  ["wrote", "writ"],
  ["sent", "send"],
  ["kept", "keep"],
  ["found", "find"],
  ["chosen", "choos"],
  ["built", "build"],
  ["thrown", "throw"],
]);

/**
 * Words of a question and those in code in a common form: rough, but the same on both sides.
 * "draws", "drawn" and "drawing" are "draw"; "price" and "pricing" are "pric".
 */
export function stem(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  const base = word
    .replace(/(?<=\w{2})ie[sd]$/, "y")
    .replace(/(?<=[aeiouy]\w+)(?:ing|ed)$|(?<=\w{2}[^sui])s$/, "");
  const single = base === word ? base : base.replace(/([bdgkmnprt])\1$/, "$1");
  return single.length > 3 ? single.replace(/e$/, "") : single;
}

/** The parts of every name and word in a text, as stems. */
export const stemAll = (text: string): Set<string> =>
  new Set(
    (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((part) => stem(part.toLowerCase())),
  );

const stopWords = new Set(
  `a all an and any are as at be by can code codebase could did do does done exactly file files find for from
  function functions get give handled happen happens has have here how i if in into is it its kind line locate located
  look made make makes me method module my of on one or our out part place please project repo repository search see
  should tell that the their them there these this those to us use used uses using was we what when where which while
  who whose why will with within work works you your define defined defines definition implement implemented
  implementation declare declared declaration call called calls caller callers reference references class variable
  constant component live lives come comes exist know thing named name want need actually explain about interface
  type struct error errors message`.split(/\s+/),
);

/** Words for doing nearly the same thing: they rank what is found, but are not searched for alone. */
const verbGroups = [
  "draw render paint layout display show view",
  "write save store persist append add push",
  "read load open parse decode",
  "delete remove unlink drop",
  "create make build new compose",
  "check validate verify assert test",
  "compute calculate measure count estimate",
  "send post emit",
  "start run launch execute spawn main",
  "decide choose pick select plan",
  "change edit update replace set",
].map((group) => group.split(" ").map(stem));

export type Keyword = {
  /** As the user wrote it. */
  word: string;
  stem: string;
  /** Stems of words with nearly the same meaning. */
  similar: readonly string[];
  /** Written as code writes names, or quoted: matched letter by letter. */
  isName: boolean;
};

const maxKeywords = 8;

export function extractKeywords(question: string): Keyword[] {
  const found = new Map<string, Keyword>();
  for (const raw of question.match(/[`"'][\w$.-]+[`"']|[A-Za-z_$][\w$]*/g) ?? []) {
    const word = raw.replace(/^[`"']|[`"']$/g, "");
    const isName = word !== raw || /[a-z\d][A-Z]|\w_\w|\$/.test(word);
    if (!isName && (stopWords.has(word.toLowerCase()) || word.length < 2)) continue;
    const own = isName ? word : stem(word.toLowerCase());
    const group = isName ? undefined : verbGroups.find((verbs) => verbs.includes(own));
    const similar = (group ?? []).filter((verb) => verb !== own);
    if (!found.has(own)) found.set(own, { word, stem: own, similar, isName });
  }
  return [...found.values()].slice(0, maxKeywords);
}

/** How well a text contains a keyword, from 0 to 1. */
export function rateMatch({ stem: own, similar, isName, word }: Keyword, text: string): number {
  if (isName && new RegExp(`(?<![\\w$])${escapeRegExp(word)}(?![\\w$])`).test(text)) return 1;
  const parts = stemAll(text);
  if (isName) return [...stemAll(word)].every((part) => parts.has(part)) ? 0.6 : 0;
  if (parts.has(own)) return 1;
  const isRelated = (part: string): boolean =>
    part.length >= 4 && own.length >= 4 && (part.startsWith(own) || own.startsWith(part));
  return [...parts].some(isRelated) || similar.some((verb) => parts.has(verb)) ? 0.6 : 0;
}

/** A regular expression for a keyword at the start of a word or of a part of a name. */
export function toPattern({ stem: own, isName, word }: Keyword): string {
  if (isName) return `\\b${escapeRegExp(word)}\\b`;
  const capital = own.charAt(0).toUpperCase() + own.slice(1);
  return `\\b${own}|_${own}|${capital}|\\b${own.toUpperCase()}`;
}

/** A glob for file names that contain the keyword, whatever the case of its first letter. */
export function toGlob({ stem: own, isName, word }: Keyword): string {
  const text = (isName ? word : own).replace(/[^\w-]/g, "?");
  const first = text.charAt(0);
  return `[${first.toLowerCase()}${first.toUpperCase()}]${text.slice(1)}`;
}
