/** Notes for later sessions: lines of Markdown files that the user can read and edit. */

import { appendFile, lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { takeEnd } from "../../base/clip.ts";
import { control, invisible, showCode } from "../../base/escape-terminal.ts";
import type { Paths } from "../../config/paths.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import { readStart } from "../../trust/project/project.ts";

/** Characters of one file that the model is shown; the newest notes are at its end. */
export const maxNotesChars = 8_000;

const maxBytes = 1_000_000;

const readNotes = async (file: string): Promise<string> =>
  (await readStart(file, maxBytes, () => true))?.text ?? "";

/** The notes of these files, as the model is shown them at the start of a session. */
export async function readMemory(files: readonly string[]): Promise<ContextFact[]> {
  const facts: ContextFact[] = [];
  for (const file of files) {
    const notes = (await readNotes(file)).trim();
    if (notes !== "") facts.push(memoryFact(file, withinBudget(notes, file)));
  }
  return facts;
}

function withinBudget(notes: string, file: string): string {
  if (notes.length <= maxNotesChars) return notes;
  const end = takeEnd(notes, maxNotesChars);
  return `[older notes are in ${file}]\n${end.slice(end.indexOf("\n") + 1)}`;
}

/** A note before it is written. Sizes are in characters. */
export type PlannedNote = {
  /** The line exactly as it is added: nothing in it is hidden. */
  line: string;
  file: string;
  usedChars: number;
  /** Appends it and returns the fact for the model. Throws errors of the disk. */
  add(): Promise<ContextFact>;
};

/** A note on its way into a file (0600). */
export async function planNote(file: string, note: string): Promise<PlannedNote> {
  const words = note.toWellFormed().replace(/\s+/g, " ").trim();
  const line = `- ${words.replace(control, showCode).replace(invisible, showCode)}`;
  const notes = await readNotes(file);
  return {
    line,
    file,
    usedChars: notes.trim().length,
    async add() {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      // An editor may have left the last line open.
      const start = notes === "" || notes.endsWith("\n") ? "" : "\n";
      await appendFile(file, `${start}${line}\n`, { mode: 0o600 });
      // A title of its own keeps it beside the notes of the file; `standingContext` knows the form.
      return memoryFact(`${line} (${file})`, line);
    },
  };
}

/** Adds the user's note. A warning when older notes are no longer shown to the model. */
export async function remember(file: string, note: string) {
  const { line, usedChars, add } = await planNote(file, note);
  const fact = await add();
  const over = usedChars + line.length + 1 - maxNotesChars;
  return {
    fact,
    warning:
      over > 0
        ? `Sessions start with the newest ${maxNotesChars.toLocaleString("en")} characters of these notes: the oldest ${over.toLocaleString("en")} are no longer shown to the model. /memory opens the file.`
        : null,
  };
}

const memoryFact = (title: string, notes: string): ContextFact =>
  contextFact(
    "instructions",
    title,
    `Notes that the user made or approved; they hold in every session:\n${notes}`,
  );

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
