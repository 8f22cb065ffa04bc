/** A session as a file to read or to share. */

import { existsSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { exportMarkdown, exportJsonl } from "./formats.ts";
import { writeNewFile } from "./new-file.ts";
import type { Entry } from "../../protocol/entry.ts";
import { errorMessage } from "../../base/in-words.ts";
import type { Progress } from "../../base/long-work.ts";
import { jsonToTerminal, toTerminal } from "../../base/to-terminal.ts";

/** A path as text, in a piece for each entry and some around them. */
export type Export = (path: readonly Entry[]) => Iterable<string>;

export const exportFormats: Readonly<Record<"markdown" | "jsonl", Export>> = {
  markdown: (path) => exportMarkdown(path).map(toTerminal),
  jsonl: (path) => exportJsonl(path).map(jsonToTerminal),
};

const textFormats: Readonly<Record<string, Export>> = {
  ".md": exportFormats.markdown,
  ".markdown": exportFormats.markdown,
  ".jsonl": exportFormats.jsonl,
};

type ExportOptions = {
  path: readonly Entry[];
  /** Name of the file, relative to `cwd`. */
  name: string;
  cwd: string;
  /** Makes an HTML page. */
  html: Export;
  progress: Progress;
};

/**
 * Writes a new file that only the user can read, in the format of its extension, and returns its
 * path. Throws with a sentence when there is such a file already or it cannot be written.
 */
export async function exportSession(options: ExportOptions): Promise<string> {
  const { path, name, cwd, html, progress } = options;
  const extension = extname(name).toLowerCase();
  const format = /^\.html?$/.test(extension) ? html : textFormats[extension];
  if (!format) throw new Error(`${name} must end in .md, .html or .jsonl.`);
  if (path.length === 0) throw new Error("There is nothing to export yet.");
  const file = resolve(cwd, name);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  let isNew: boolean;
  try {
    isNew = await writeNewFile(file, (handle) =>
      // Entries appended during the export are not part of it.
      writePieces(format([...path]), path.length, (text) => handle.appendFile(text), progress),
    );
  } catch (error) {
    throw new Error(`${file} cannot be written: ${errorMessage(error)}.`, { cause: error });
  }
  if (!isNew) throw new Error(`${file} exists already.`);
  return file;
}

/** Milliseconds of work between writes, during which other tasks can run. */
const sliceMs = 10;

/** Writes pieces of text, a few milliseconds' worth at a time. `count`: about how many there are. */
export async function writePieces(
  pieces: Iterable<string>,
  count: number,
  write: (text: string) => Promise<void> | void,
  progress: Progress = () => {},
): Promise<void> {
  let text = "";
  let done = 0;
  let began = performance.now();
  for (const piece of pieces) {
    text += piece;
    done++;
    if (performance.now() - began < sliceMs) continue;
    await write(text);
    progress(Math.min(done, count), count, "");
    await new Promise((resume) => setImmediate(resume));
    text = "";
    began = performance.now();
  }
  await write(text);
}
