/** Text that looks the same in other characters: found, so that the difference can be named. */

import { showCode } from "../../base/escape-terminal.ts";

type Folded = { text: string; starts: number[] };

/** Letters with their combining marks. */
const pieces = /[^\p{M}]\p{M}*|\p{M}+/gsu;

/** Folds text piece by piece; `starts` has the place in the original of each character. */
function fold(text: string, by: (piece: string) => string): Folded {
  const starts: number[] = [];
  let out = "";
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const folded = by(piece);
    for (let at = 0; at < folded.length; at++) starts.push(index);
    out += folded;
  }
  return { text: out, starts };
}

/** The first part of `text` that is `wanted` once both are folded; null: none. */
function findFolded(text: string, wanted: string, by: (piece: string) => string): string | null {
  const needle = fold(wanted, by).text;
  const hay = fold(text, by);
  const at = needle === "" ? -1 : hay.text.indexOf(needle);
  return at === -1 ? null : text.slice(hay.starts[at], hay.starts[at + needle.length]);
}

const withoutReturn = (piece: string): string => (piece === "\r" ? "" : piece);

/** Finds `wanted` as the file spells it, with accents composed or decomposed. */
export const findEquivalent = (text: string, wanted: string): string | null =>
  findFolded(text, wanted, (piece) => withoutReturn(piece).normalize("NFC"));

/** `text` with accents as `sample` has them. */
export const inFormOf = (sample: string, text: string): string =>
  text.normalize(sample === sample.normalize("NFC") ? "NFC" : "NFD");

const groups: readonly (readonly [plain: string, others: RegExp])[] = [
  [" ", /^[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/],
  ["", /^[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]$/],
  ["'", /^[‘’‚‛′ʼʹ`´]$/],
  ['"', /^[“”„‟″«»]$/],
  ["-", /^[‐‑‒–—―−﹣]$/],
  ["...", /^…$/],
];

/** Letters of Cyrillic and Greek, and the Latin ones that look like them. */
const [strange, familiar] = [
  "асеорхуіјѕһԁԛԝАВЕКМНОРСТХІЈЅοανρυιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
  "aceopxyijshdqwABEKMHOPCTXIJSoavpuiABEZHIKMNOPTYX",
];

function toPlain(piece: string): string {
  const composed = withoutReturn(piece).normalize("NFKC");
  let out = "";
  for (const character of piece.length === 1 ? piece : composed) {
    const group = groups.find(([, others]) => others.test(character));
    const at = strange.indexOf(character);
    out += group ? group[0] : at === -1 ? character.normalize("NFKC") : familiar[at];
  }
  return withoutReturn(out);
}

const names = new Map([
  ["\u00a0", "no-break space"],
  ["\u202f", "narrow no-break space"],
  ["\u3000", "ideographic space"],
  ["\u200b", "zero-width space"],
  ["\u200d", "zero-width joiner"],
  ["\ufeff", "byte order mark"],
  ["\u00ad", "soft hyphen"],
  ["–", "en dash"],
  ["—", "em dash"],
  ["−", "minus sign"],
]);

/** A sentence on characters that only look like those of `wanted`; null: the text is not there. */
export function nameLookalikes(text: string, wanted: string): string | null {
  const found = findFolded(text, wanted, toPlain);
  if (found === null) return null;
  const line = text.slice(0, text.indexOf(found)).split("\n").length;
  const only = (own: string, other: string): string =>
    [...new Set(own)]
      .filter((character) => !other.includes(character) && character !== "\r")
      .slice(0, 5)
      .map(describe)
      .join(", ");
  const [theirs, ours] = [only(found, wanted), only(wanted, found)];
  const has = [
    ...(theirs === "" ? [] : [`the file has ${theirs}`]),
    ...(ours === "" ? [] : [`old_string has ${ours}`]),
  ];
  return ` Line ${line} looks the same, but ${has.join(" where ") || "its characters are in another order"}. Use the file's characters, or change that line with Bash (\\u escapes):\n${found.trimEnd()}`;
}

function describe(character: string): string {
  const code = showCode(character).slice(1, -1);
  const name = names.get(character);
  if (name !== undefined) return `${code} (${name})`;
  if (character === " ") return "a space";
  const script = ["Cyrillic", "Greek", "Latin"].find((name) =>
    new RegExp(`\\p{Script=${name}}`, "u").test(character),
  );
  return `${code} (${script ? `${script} ` : ""}${character})`;
}
