/** A session as a file to read or to share. */

import { open } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { exportMarkdown } from "./markdown.ts";
import { exportJsonl } from "./messages.ts";
import type { Entry } from "../../protocol/entry.ts";
import { errorCode } from "../../protocol/guards.ts";
import { messageOf } from "../../protocol/in-words.ts";
import { jsonToTerminal, toTerminal } from "../../protocol/to-terminal.ts";

export type Export = (path: readonly Entry[]) => string;

export const exportFormats: Readonly<Record<"markdown" | "jsonl", Export>> = {
  markdown: (path) => toTerminal(exportMarkdown(path)),
  jsonl: (path) => jsonToTerminal(exportJsonl(path)),
};

const textFormats: Readonly<Record<string, Export>> = {
  ".md": exportFormats.markdown,
  ".markdown": exportFormats.markdown,
  ".jsonl": exportFormats.jsonl,
};

/**
 * Writes a new file that only the user can read, in the format of its extension, and returns its
 * path. `html` makes a page. Throws with a sentence when there is such a file already or it cannot be written.
 */
export async function exportSession(
  path: readonly Entry[],
  name: string,
  cwd: string,
  html: Export,
): Promise<string> {
  const extension = extname(name).toLowerCase();
  const format = /^\.html?$/.test(extension) ? html : textFormats[extension];
  if (!format) throw new Error(`${name} must end in .md, .html or .jsonl.`);
  if (path.length === 0) throw new Error("There is nothing to export yet.");
  const file = resolve(cwd, name);
  await using handle = await open(file, "wx", 0o600).catch((error: unknown) => {
    const exists = errorCode(error) === "EEXIST";
    throw new Error(
      exists ? `${file} exists already.` : `${file} cannot be written: ${messageOf(error)}.`,
    );
  });
  await handle.writeFile(format(path));
  return file;
}
