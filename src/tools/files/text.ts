/** Decodes bytes to text and back without changing anything else. */

import { ToolError } from "../tool.ts";

type Encoding = "utf8" | "utf16le" | "utf16be" | "latin1";

/** `text` has no byte order mark and keeps its line endings. */
export type DecodedText = { text: string; encoding: Encoding; bom: boolean };

/** Null if the bytes are not text: null bytes without a UTF-16 mark. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf16be");
  if (bytes.includes(0)) return null;
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return { text, encoding: "utf8", bom };
  } catch {
    // One byte per character: letters may be wrong, but every byte is preserved.
    return { text: Buffer.from(body).toString("latin1"), encoding: "latin1", bom };
  }
}

function decodeUtf16(bytes: Uint8Array, encoding: "utf16le" | "utf16be"): DecodedText | null {
  if (bytes.length % 2 !== 0) return null;
  const body = Buffer.from(bytes.subarray(2));
  if (encoding === "utf16be") body.swap16();
  return { text: body.toString("utf16le"), encoding, bom: true };
}

/** Throws `ToolError` if the encoding cannot represent the text. */
export function encodeText({ text, encoding, bom }: DecodedText): Buffer {
  switch (encoding) {
    case "utf8":
      return Buffer.from(bom ? `\uFEFF${text}` : text, "utf8");
    case "utf16le":
      return Buffer.from(`\uFEFF${text}`, "utf16le");
    case "utf16be":
      return Buffer.from(`\uFEFF${text}`, "utf16le").swap16();
    case "latin1": {
      if (/[^\0-\u00ff]/.test(text)) {
        throw new ToolError(
          "The file is not UTF-8 (one byte per character), and the new text has characters that " +
            "it cannot store; use characters up to U+00FF or convert the file first.",
        );
      }
      const mark = bom ? [0xef, 0xbb, 0xbf] : [];
      return Buffer.concat([Buffer.from(mark), Buffer.from(text, "latin1")]);
    }
    default:
      return encoding satisfies never;
  }
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
