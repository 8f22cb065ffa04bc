/** Parses the paths that a terminal types for dropped files: quoted, escaped, or as URLs. */

import { fileURLToPath } from "node:url";

const image = /\.(png|jpe?g|gif|webp)$/i;

/** A word, in quotes or with its spaces escaped, and the space after it. */
const word = /(?:'([^']*)'|"((?:\\.|[^"\\])*)"|((?:\\.|[^\s\\'"])+))\s*/gy;

/** Longer pastes are not checked. */
const maxChars = 8_000;

/** The image paths in a paste; null if it contains anything else. */
export function droppedImages(paste: string): string[] | null {
  const text = paste.trim();
  if (text === "" || text.length > maxChars) return null;
  // Some terminals paste a path without escaping its spaces.
  if (/^[~/.]/.test(text) && image.test(text) && !/[\n'"\\]|\s[~/]/.test(text)) return [text];
  const paths: string[] = [];
  for (let at = 0; at < text.length;) {
    word.lastIndex = at;
    const [whole, single, double, bare] = word.exec(text) ?? [];
    if (whole === undefined) return null;
    const path = pathOf(single ?? (double ?? bare ?? "").replace(/\\(.)/g, "$1"));
    if (path === null) return null;
    paths.push(path);
    at += whole.length;
  }
  return paths;
}

function pathOf(written: string): string | null {
  if (!image.test(written)) return null;
  if (!written.startsWith("file://")) return /^[~/.]/.test(written) ? written : null;
  try {
    return fileURLToPath(written);
  } catch {
    // A file on another machine.
    return null;
  }
}
