/** `@path` in instructions names another file that belongs to them. */

import { dirname, join, resolve } from "node:path";

/** Most files that one file may name. */
const maxImports = 50;

const code = /```[\s\S]*?```|`[^`\n]*`/g;
const pattern = /(?:^|\s)@([^\s@]+)/g;

/** The absolute paths that a text names outside code, in order; whether they exist is not known. */
export function importsIn(text: string, file: string, home: string): string[] {
  const paths = [...text.replace(code, " ").matchAll(pattern)].map(([, path = ""]) => {
    const name = path.replace(/[),.;:!?'"]+$/, "");
    return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(dirname(file), name);
  });
  return [...new Set(paths)].slice(0, maxImports);
}
