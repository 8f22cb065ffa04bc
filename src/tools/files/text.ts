/** Decodes bytes to text and back without changing anything else. */

import { ToolError } from "../tool.ts";
import {
  decodeAs,
  encodeAs,
  encodingName,
  guessEncoding,
  guessUtf16,
  type Legacy,
  NotEncodable,
} from "./encodings.ts";

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
