/** Decodes bytes to text and back without changing anything else, in UTF-8 and in older encodings. */

import { attempt } from "../../base/guards.ts";
import { ToolError } from "../tool.ts";

/** `text` has no byte order mark and keeps its line endings. */
export type DecodedText = { text: string; encoding: "utf8" | Legacy; bom: boolean };

/** Null if the bytes are not text: null bytes in none of the places of UTF-16. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf-16le", true);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf-16be", true);
  if (bytes.includes(0)) {
    const encoding = guessUtf16(bytes);
    return encoding && decodeUtf16(bytes, encoding, false);
  }
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return { text, encoding: "utf8", bom };
  } catch {
    const encoding = guessEncoding(body);
    return { text: decodeAs(encoding, body) ?? "", encoding, bom };
  }
}

/** Halves of pairs stay as they are, which a decoder would replace. */
function decodeUtf16(
  bytes: Uint8Array,
  encoding: "utf-16le" | "utf-16be",
  bom: boolean,
): DecodedText | null {
  if (bytes.length % 2 !== 0) return null;
  const body = Buffer.from(bytes.subarray(bom ? 2 : 0));
  if (encoding === "utf-16be") body.swap16();
  return { text: body.toString("utf16le"), encoding, bom };
}

/** Throws `ToolError` if the encoding cannot represent the text. */
export function encodeText({ text, encoding, bom }: DecodedText): Buffer {
  if (encoding === "utf8") return Buffer.from(bom ? `\uFEFF${text}` : text, "utf8");
  if (encoding === "utf-16le" || encoding === "utf-16be")
    return encodeAs(encoding, bom ? `\uFEFF${text}` : text);
  try {
    const mark = bom ? [0xef, 0xbb, 0xbf] : [];
    return Buffer.concat([Buffer.from(mark), encodeAs(encoding, text)]);
  } catch (error) {
    if (!(error instanceof NotEncodable)) throw error;
    throw new ToolError(
      `Nothing was written: the file is ${encodingName(encoding)}, which has no “${error.character}”. Use other characters, or convert the file to UTF-8 first (iconv).`,
    );
  }
}

/** A line for the model on a file that is not UTF-8; empty for UTF-8. */
export function encodingNote({ encoding, bom }: DecodedText): string {
  if (encoding === "utf8") return "";
  const isSure = bom && encoding.startsWith("utf-16");
  return `[This file is not UTF-8 (${isSure ? "it is" : "looks like"} ${encodingName(encoding)}). Edit and Write keep its encoding.]\n`;
}

/** The line ending that most lines of `text` have. */
export function findLineEnding(text: string): "\n" | "\r\n" {
  const crlf = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return crlf > all - crlf ? "\r\n" : "\n";
}

/** Converts all line endings of `text` to `ending`. */
export const withLineEnding = (text: string, ending: "\n" | "\r\n"): string =>
  text.replace(/\r?\n/g, ending);

/** By their labels in the Encoding Standard, with the names that people know; in guesses, the first of equals wins. */
const names = {
  "windows-1252": "Windows-1252",
  "windows-1251": "Windows-1251",
  "koi8-r": "KOI8-R",
  "koi8-u": "KOI8-U",
  "iso-8859-5": "ISO-8859-5",
  ibm866: "IBM866",
  "windows-1253": "Windows-1253",
  "iso-8859-7": "ISO-8859-7",
  "windows-1250": "Windows-1250",
  "iso-8859-2": "ISO-8859-2",
  "windows-1254": "Windows-1254",
  "windows-1255": "Windows-1255",
  "windows-1256": "Windows-1256",
  "windows-874": "Windows-874",
  gbk: "GBK",
  big5: "Big5",
  shift_jis: "Shift-JIS",
  "euc-jp": "EUC-JP",
  "euc-kr": "EUC-KR",
  gb18030: "GB18030",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
} as const;

type Legacy = keyof typeof names;

const encodingName = (encoding: Legacy): string => names[encoding];

/** Null: the bytes are not valid in it. */
function decodeAs(encoding: Legacy, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Characters that decide; more of a long file tells nothing new. */
const sampleBytes = 16_000;

/** UTF-16 is known by its null bytes, and GB 18030 is tried where GBK fits. */
const candidates = Object.keys(names).filter(
  (name): name is Legacy => name in names && !/^utf|^gb1/.test(name),
);

/** The most likely encoding of bytes that are not UTF-8, of those that give the same bytes again. */
function guessEncoding(bytes: Uint8Array): Legacy {
  // A sample may end within a letter, but not at the end of a line.
  const end = bytes.length > sampleBytes ? bytes.lastIndexOf(0x0a, sampleBytes) : -1;
  const sample = end === -1 ? bytes : bytes.subarray(0, end);
  let guess: Legacy = "windows-1252";
  let best = -Infinity;
  for (const encoding of candidates) {
    const text = decodeAs(encoding, sample);
    const score = text === null ? -Infinity : plausibility(text);
    if (score > best) [guess, best] = [encoding, score];
  }
  const all: readonly Legacy[] = guess === "gbk" ? [guess, "gb18030"] : [guess];
  // In Windows-1252 each byte is a character.
  return all.find((encoding) => isKept(encoding, bytes)) ?? "windows-1252";
}

function isKept(encoding: Legacy, bytes: Uint8Array): boolean {
  const text = decodeAs(encoding, bytes);
  return text !== null && attempt(() => encodeAs(encoding, text).equals(bytes), false);
}

/** UTF-16 without a mark, which every other text file has no null bytes to be mistaken for. */
function guessUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes.length % 2 !== 0 || bytes.length < 4) return null;
  const zeros = [0, 0];
  for (const [at, byte] of bytes.subarray(0, sampleBytes).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [high = 0, low = 0] = zeros;
  const units = Math.min(bytes.length, sampleBytes) / 2;
  const encoding = high > low ? "utf-16be" : "utf-16le";
  const text = decodeAs(encoding, bytes);
  if (text === null) return null;
  // Pairs of ASCII letters are mostly ideographs.
  if (Math.max(high, low) < units * 0.6 && /[\u2e80-\uffff]/.test(text)) return null;
  // eslint-disable-next-line no-control-regex -- what no text has
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f\p{Cn}\p{Co}]/u.test(text) ? null : encoding;
}

/** The commonest letters of the languages that were written in these encodings. */
const common = new Set(
  "оеаинтсрвлкмдпуіαοιεητσνρκάίόéèàäöüñçßåøłąężśćěšžűőışğיוהלאתרםנاليمنوتبرอนรากเท" +
    "的一是不了在有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多" +
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性" +
    "知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世" +
    "位次度门任常先海通教东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目量再感" +
    "建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听却界达光放强即像难权思王象完设式色" +
    "路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运参误错败径值返检查配置测试登录库连" +
    "這個時來說會為國們過發後經動現當還進樣開從實無與長機關點業將兩間問應戰頭體見產話內門東聲員論處義認條繫題爾變總電報結" +
    "務場計許統區隊決馬書聽達強難權設記類據邊張該規萬覺術領確傳師觀讓識帶導爭運參檔案編碼測試錯誤路徑請語都千代田続関値" +
    "이가을를에는다의도로하한고지기사습니정안녕세계함수호출파일찾없서울오류데터베스연결실패장했설어있아그것은나인요자보전대시만",
);

/** East Asian characters, two bytes each. */
const wide = /[\u1100-\u11ff\u2e80-\uff60\uffa0-\uffff]|[^\0-\uffff]/u;

/** Higher for text that is made of words. */
function plausibility(text: string): number {
  let score = 0;
  for (const [word] of text.matchAll(
    /[^\0-\x40\x5b-\x60\x7b-\x7f]*[^\0-\x7f]+[^\0-\x40\x5b-\x60\x7b-\x7f]*/g,
  )) {
    const others = word.match(/[^\0-\x7f]/gu) ?? [];
    for (const letter of others) {
      const isWide = wide.test(letter);
      if (common.has(letter.toLowerCase()) || /[ぁ-ヿ]/.test(letter)) score += isWide ? 3 : 1.5;
      else if (/[｡-ﾟ]/.test(letter)) score += 0.1;
      else if (/\p{L}|\p{M}/u.test(letter)) score += isWide ? 0.8 : 0.5;
      else if (/[\u{a0}°€£§©®™±–—“”„‘’…«»¿¡]/u.test(letter)) score += 0.5;
      else if (!/\p{P}/u.test(letter)) score -= 2;
    }
    const count = (pattern: RegExp): number => (word.match(pattern) ?? []).length;
    // Case changes within words, scripts are mixed, accents follow each other, signs stand in words.
    score -= 3 * count(/\p{Ll}\p{Lu}/gu);
    score -= 3 * count(/(?<=[A-Za-z])[\u1100-\u11ff\u2e80-\uffff](?=[A-Za-z])/g);
    const hasOther = /(?![\p{Script=Latin}\u1100-\u11ff\u2e80-\uffff])\p{L}/u.test(word);
    if (hasOther && /\p{Script=Latin}/u.test(word)) score -= 3 * others.length;
    if (/(?:(?![A-Za-z])\p{Script=Latin}){3}/u.test(word)) score -= 2 * others.length;
    if (/^[\p{L}\p{M}]$/u.test(word)) score -= 1.1;
    // Five letters of Hebrew have a form of their own, and only, at the end of a word.
    if (/[ךםןףץ]$/.test(word)) score += 3;
    score -= 3 * count(/[ךםןףץ](?=\p{L})/gu);
    score -= 3 * count(/(?<=\p{L})[^\p{L}\p{M}’'\-–—]+(?=\p{L})/gu);
  }
  return score;
}

/** A character that an encoding does not have. */
class NotEncodable extends Error {
  constructor(readonly character: string) {
    super(`It has no ${JSON.stringify(character)}.`);
  }
}

/** Throws `NotEncodable`. */
function encodeAs(encoding: Legacy, text: string): Buffer<ArrayBuffer> {
  if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const table = invert(encoding);
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

/** The encoder's table: the bytes of each character. */
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

/** Adds the characters of the basic plane, and the emoji of the next one. */
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
