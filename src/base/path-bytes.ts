/**
 * Names of files are bytes. As a text, a byte that is not UTF-8 is a lone surrogate, so that every name
 * can be written down and opened again.
 */

import { sep, win32 } from "node:path";

const escaped = 0xdc00;

export function textOfPath(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  if (Buffer.from(text).equals(bytes)) return text;
  let found = "";
  for (let at = 0; at < bytes.length;) {
    const size = [1, 2, 3, 4].find((length) => isCharacter(bytes.subarray(at, at + length)));
    found +=
      size === undefined
        ? String.fromCharCode(escaped + (bytes[at] ?? 0))
        : Buffer.from(bytes.subarray(at, at + size)).toString();
    at += size ?? 1;
  }
  return found;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isCharacter(bytes: Uint8Array): boolean {
  try {
    return strict.decode(bytes) !== "";
  } catch {
    return false;
  }
}

/** For the functions of `node:fs`. */
export function bytesOfPath(text: string): string | Buffer {
  if (text.isWellFormed()) return text;
  const parts = Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    return character.length === 1 && code > escaped && code <= escaped + 0xff
      ? Buffer.of(code - escaped)
      : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** For absolute paths without a trailing slash. The functions of `node:path` lose bytes that are not UTF-8. */
export const { dirname, basename } = {
  posix: {
    dirname: (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/",
    basename: (path: string): string => path.slice(path.lastIndexOf("/") + 1),
  },
  // There names are not bytes.
  win32,
}[sep === "/" ? "posix" : "win32"];
