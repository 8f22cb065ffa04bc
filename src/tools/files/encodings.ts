/** Encodings other than UTF-8: which one a file looks like, and text back into its bytes. */

/** By their labels in the Encoding Standard, with the names that people know. */
const names = {
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  gb18030: "GB18030",
  gbk: "GBK",
  big5: "Big5",
  shift_jis: "Shift-JIS",
  "euc-jp": "EUC-JP",
  "euc-kr": "EUC-KR",
  "windows-1252": "Windows-1252",
  "windows-1251": "Windows-1251",
  "koi8-r": "KOI8-R",
  "koi8-u": "KOI8-U",
  ibm866: "IBM866",
  "iso-8859-5": "ISO-8859-5",
  "windows-1253": "Windows-1253",
  "iso-8859-7": "ISO-8859-7",
  "windows-1250": "Windows-1250",
  "iso-8859-2": "ISO-8859-2",
  "windows-1254": "Windows-1254",
  "windows-1255": "Windows-1255",
  "windows-1256": "Windows-1256",
  "windows-874": "Windows-874",
} as const;

export type Legacy = keyof typeof names;

export const encodingName = (encoding: Legacy): string => names[encoding];

/** Null: the bytes are not valid in it. */
export function decodeAs(encoding: Legacy, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Characters that decide; more of a long file tells nothing new. */
const sampleBytes = 64_000;

/** The most likely encoding of bytes that are not UTF-8, of those that give the same bytes again. */
export function guessEncoding(bytes: Uint8Array): Legacy {
  const sample = bytes.subarray(0, sampleBytes);
  const guess = guessEastAsian(sample) ?? guessOneByte(sample);
  const text = decodeAs(guess, bytes);
  const isKept = text !== null && Buffer.from(bytes).equals(encodeAs(guess, text));
  // In this one each byte is a character.
  return isKept ? guess : "windows-1252";
}

/** UTF-16 without a mark, which every other text file has no null bytes to be mistaken for. */
export function guessUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes.length % 2 !== 0 || bytes.length < 4) return null;
  const zeros = [0, 0];
  for (const [at, byte] of bytes.subarray(0, sampleBytes).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [high = 0, low = 0] = zeros;
  const units = Math.min(bytes.length, sampleBytes) / 2;
  if (Math.min(high, low) > 0 || Math.max(high, low) === 0) return null;
  const encoding = high > 0 ? "utf-16be" : "utf-16le";
  const text = decodeAs(encoding, bytes);
  if (text === null) return null;
  // Pairs of ASCII letters are mostly ideographs.
  if (Math.max(high, low) < units * 0.6 && /[\u2e80-\uffff]/.test(text)) return null;
  // eslint-disable-next-line no-control-regex -- what no text has
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f\p{Cn}\p{Co}]/u.test(text) ? null : encoding;
}

type Pair = { lead: number; trail: number };

/** Scripts whose letters are two bytes and come in rows. Null: it does not look like that. */
function guessEastAsian(bytes: Uint8Array): Legacy | null {
  const fits = (encoding: Legacy): boolean => {
    const text = decodeAs(encoding, wholeLines(bytes));
    if (text === null) return false;
    const runs = text.match(/[^\0-\x7f]+/g) ?? [];
    // A single letter between others is an accent of a Latin text.
    return runs.join("").length >= runs.length * 1.5;
  };
  const pairs = findPairs(bytes);
  const share = (test: (pair: Pair) => boolean): number =>
    pairs.filter(test).length / Math.max(1, pairs.length);
  const isKana = ({ lead, trail }: Pair): boolean =>
    (lead === 0x82 && trail >= 0x9f && trail <= 0xf1) || (lead === 0x83 && trail <= 0x96);
  if (share(isKana) > 0.15 && fits("shift_jis")) return "shift_jis";
  const isDouble = share(({ trail }) => trail >= 0xa1) === 1;
  if (isDouble) {
    if (share(({ lead }) => lead === 0xa4 || lead === 0xa5) > 0.15 && fits("euc-jp"))
      return "euc-jp";
    const letters = pairs.filter(({ lead }) => lead >= 0xb0);
    const isHangul = letters.length > 0 && letters.every(({ lead }) => lead <= 0xc8);
    if (isHangul && fits("euc-kr")) return "euc-kr";
    if (share(({ lead }) => lead <= 0xd7) > 0.7 && fits("gbk")) return "gbk";
    return null;
  }
  const inBig5 = share(({ lead }) => lead >= 0xa1 && lead <= 0xc6);
  if (inBig5 > 0.8 && fits("big5")) return "big5";
  if (share(({ lead }) => lead >= 0x81 && lead <= 0x9f) > 0.5 && fits("shift_jis"))
    return "shift_jis";
  const isCommon = ({ lead, trail }: Pair): boolean =>
    (lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) || lead <= 0xa3;
  if (share(isCommon) < 0.5) return null;
  return fits("gbk") ? (hasFourBytes(bytes) ? "gb18030" : "gbk") : null;
}

/** A sample may end within a letter. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.length < sampleBytes ? -1 : bytes.lastIndexOf(0x0a);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

const hasFourBytes = (bytes: Uint8Array): boolean =>
  bytes.some((byte, at) => byte > 0x80 && isDigit(bytes[at + 1]) && isDigit(bytes[at + 3]));

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39;

function findPairs(bytes: Uint8Array): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead > 0x80) pairs.push({ lead, trail: bytes[++at] ?? 0 });
  }
  return pairs;
}

const oneByte: readonly Legacy[] = [
  "windows-1252",
  "windows-1251",
  "koi8-r",
  "koi8-u",
  "iso-8859-5",
  "ibm866",
  "windows-1253",
  "iso-8859-7",
  "windows-1250",
  "iso-8859-2",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-874",
];

function guessOneByte(bytes: Uint8Array): Legacy {
  let best: { encoding: Legacy; score: number } = { encoding: "windows-1252", score: -Infinity };
  for (const encoding of oneByte) {
    const text = decodeAs(encoding, bytes);
    const score = text === null ? -Infinity : plausibility(text);
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
}

/** The commonest letters of the languages that were written in these encodings. */
const common = new Set(
  "оеаинтсрвлкмдпуіαοιεητσνρκάίόéèàäöüñçßåøłąężśćěšřžűőışğיוהלאתרםנاليمنوتبرอนรากเท",
);

/** Higher for text that is made of words. */
function plausibility(text: string): number {
  let score = 0;
  for (const [word] of text.matchAll(
    /[^\0-\x40\x5b-\x60\x7b-\x7f]*[^\0-\x7f]+[^\0-\x40\x5b-\x60\x7b-\x7f]*/g,
  )) {
    const others = word.match(/[^\0-\x7f]/g) ?? [];
    for (const letter of others) {
      if (common.has(letter.toLowerCase())) score += 1.5;
      else if (/\p{L}|\p{M}/u.test(letter)) score += 0.5;
      else if (!/[\p{P}\u{a0}°€£§©®™]/u.test(letter)) score -= 2;
    }
    // Case changes within words, scripts are mixed, accents follow each other, signs stand in words.
    score -= 3 * (word.match(/\p{Ll}\p{Lu}/gu) ?? []).length;
    const hasOther = /(?!\p{Script=Latin})\p{L}/u.test(word);
    if (hasOther && /\p{Script=Latin}/u.test(word)) score -= 3 * others.length;
    if (/(?:(?![A-Za-z])\p{Script=Latin}){3}/u.test(word)) score -= 2 * others.length;
    // Five letters of Hebrew have a form of their own, and only, at the end of a word.
    if (/[ךםןףץ]$/.test(word)) score += 3;
    score -= 3 * (word.match(/[ךםןףץ](?=\p{L})/gu) ?? []).length;
    score -= 3 * (word.match(/(?<=\p{L})[^\p{L}\p{M}’'\-–—]+(?=\p{L})/gu) ?? []).length;
  }
  return score;
}

/** A character that an encoding does not have. */
export class NotEncodable extends Error {
  constructor(readonly character: string) {
    super(`It has no ${JSON.stringify(character)}.`);
  }
}

/** Throws `NotEncodable`. */
export function encodeAs(encoding: Legacy, text: string): Buffer<ArrayBuffer> {
  if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const table = tables.get(encoding) ?? invert(encoding);
  tables.set(encoding, table);
  const out = Buffer.alloc(text.length * 4);
  let length = 0;
  for (const character of text) {
    const code = table.get(character) ?? (character <= "\x7f" ? character.charCodeAt(0) : null);
    if (code === null) throw new NotEncodable(character);
    for (let shift = code > 0xffff ? 24 : code > 0xff ? 8 : 0; shift >= 0; shift -= 8)
      out[length++] = (code >>> shift) & 0xff;
  }
  return out.subarray(0, length);
}

/** What each byte, and each pair of bytes, stands for, turned around. */
function invert(encoding: Legacy): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const table = new Map<string, number>();
  const add = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    const isOne = [...text].length === 1 && text !== "\ufffd";
    const code = bytes.reduce((sum, byte) => sum * 0x100 + byte, 0);
    if (isOne && !table.has(text)) table.set(text, code);
  };
  for (let byte = 0x80; byte < 0x100; byte++) add([byte]);
  if (!twoByte.has(encoding)) return table;
  for (let lead = 0x81; lead < 0xff; lead++)
    for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail]);
  if (encoding === "gb18030") addFourBytes(add);
  return table;
}

/** Those of the basic plane, and the pictures of the first one after it. */
function addFourBytes(add: (bytes: readonly number[]) => void): void {
  for (const [from, to] of [
    [0x81, 0x84],
    [0x94, 0x95],
  ] as const)
    for (let first = from; first <= to; first++)
      for (let second = 0x30; second <= 0x39; second++)
        for (let third = 0x81; third <= 0xfe; third++)
          for (let last = 0x30; last <= 0x39; last++) add([first, second, third, last]);
}

const twoByte = new Set<Legacy>(["gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr"]);

const tables = new Map<Legacy, ReadonlyMap<string, number>>();
