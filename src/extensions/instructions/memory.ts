/** Notes that the user asks the agent to remember, kept in Markdown files that they can edit. */

import { appendFile, lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { clipLine, takeEnd } from "../../base/clip.ts";
import { type ContextFact, contextFact } from "../../protocol/entry.ts";
import { readStart } from "../project.ts";

/** Characters of one file that the model is shown; the newest notes are at its end. */
const maxChars = 8_000;

const maxBytes = 1_000_000;

/** The notes of these files, as the model is shown them at the start of a session. */
export async function readMemory(files: readonly string[]): Promise<ContextFact[]> {
  const facts: ContextFact[] = [];
  for (const file of files) {
    const notes = (await readStart(file, maxBytes, () => true))?.text.trim();
    if (notes) facts.push(memoryFact(file, withinBudget(notes, file)));
  }
  return facts;
}

function withinBudget(notes: string, file: string): string {
  if (notes.length <= maxChars) return notes;
  const end = takeEnd(notes, maxChars);
  return `[older notes are in ${file}]\n${end.slice(end.indexOf("\n") + 1)}`;
}

/** Appends a note to a file (0600). Returns what the model is told. Throws what the disk throws. */
export async function remember(file: string, note: string): Promise<ContextFact> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const line = `- ${note.replace(/\s+/g, " ").trim()}`;
  await appendFile(file, `${line}\n`, { mode: 0o600 });
  // A title of its own, so that a summary keeps it beside the notes that were there before.
  return memoryFact(`memory: ${clipLine(line, 80)}`, line);
}

const memoryFact = (title: string, notes: string): ContextFact =>
  contextFact("instructions", title, `The user asked you to remember:\n${notes}`);

/**
 * The files of `/memory`: notes and instructions. Their sizes are in bytes; null: not there yet.
 * `instructions`: paths of the files that apply here.
 */
export async function memoryFiles(
  { memory }: Pick<Paths, "memory">,
  instructions: readonly string[],
) {
  const notes = [
    { name: "Notes on this folder", path: memory.here },
    { name: "Notes for all folders", path: memory.everywhere },
  ];
  const others = instructions
    .filter((path) => !notes.some((note) => note.path === path))
    .map((path) => ({ name: "Instructions", path }));
  return Promise.all(
    [...notes, ...others].map(async (file) => {
      const stat = await lstat(file.path).catch(() => null);
      return { ...file, bytes: stat?.size ?? null };
    }),
  );
}
