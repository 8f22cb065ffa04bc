/**
 * Writes down the changes of a command before they are taken over: if the program is killed before they are in the
 * log of its session, the next one knows them and can take them back.
 */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { disk, writeAllSync } from "../../base/durable.ts";
import { attempt, parseJson } from "../../base/guards.ts";
import { dirname } from "../../base/path-bytes.ts";
import { removeParts } from "../../base/replace-file.ts";
import { fileChangeSchema } from "../../protocol/entry.ts";
import { isOld, layersOf, mayRun, viewIn } from "../../trust/sandbox/layers.ts";
import { removeOverlays, removeWork } from "../../trust/sandbox/overlay.ts";
import type { StateChange } from "./workspace-state.ts";

const headSchema = z.object({ roots: z.array(z.string()), aside: z.string() });

/** `aside`: where what is not taken over goes. */
type JournalHead = z.infer<typeof headSchema>;

const journalOf = (folder: string): string => join(folder, "journal");

/** `folder`: of the command. Throws the system's error. */
export function openJournal(folder: string, head: JournalHead) {
  const file = journalOf(folder);

  const encode = (lines: readonly unknown[]): Buffer =>
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  writeFileSync(file, encode([head]), { mode: 0o600 });

  return {
    /** Before changes are made. Throws the system's error. */
    async intend(changes: readonly StateChange[]): Promise<void> {
      if (changes.length === 0) return;
      const handle = openSync(file, "a");
      try {
        writeAllSync(handle, encode(changes));
        // After a power loss, too, the content that is replaced must be found.
        if (changes.some(({ before }) => before !== null)) await disk.fdatasync(handle);
      } finally {
        closeSync(handle);
      }
    },

    /** When they are in the log. */
    close(): void {
      rmSync(file, { force: true });
      removeEmpty(folder);
    },
  };
}

/** Left by sessions that ended too early. */
type Leftovers = {
  /** They had been, or were about to be, taken over. */
  files: StateChange[];
  /** Sentences. */
  told: string[];
  /** When `files` are in the log. */
  close(): void;
};

/** Takes on what commands in these folders left when their sessions ended too early. `own`: our folder. */
export async function recoverCommands(own: string, roots: readonly string[]): Promise<Leftovers> {
  const taken: string[] = [];
  const found: Leftovers = {
    files: [],
    told: [],
    close: () => taken.forEach((folder) => rmSync(folder, { recursive: true, force: true })),
  };
  const all = join(own, "layers");
  for (const place of list(all).map((name) => join(all, name))) {
    if (mayRun(place)) continue;
    for (const folder of list(place).map((name) => join(place, name))) {
      // Of a command that did not begin.
      if (!existsSync(journalOf(folder))) await discard(folder);
      const lines = attempt(() => readFileSync(journalOf(folder), "utf8"), "").split("\n");
      const head = headSchema.safeParse(parseJson(lines.shift() ?? "")).data;
      const isOurs = head?.roots.some((root) => roots.includes(root)) === true;
      if (!isOurs && !isOld(journalOf(folder))) continue;
      // Whoever moves it has it, all at once, and if that session is killed as well, the next one.
      const mine = join(layersOf(own), crypto.randomUUID());
      if (!attempt(() => (renameSync(folder, mine), true), false)) continue;
      if (head === undefined || !isOurs) {
        await discard(mine);
        continue;
      }
      const files = lines.flatMap((line) => fileChangeSchema.safeParse(parseJson(line)).data ?? []);
      found.files = [...found.files, ...files];
      // Without room for it, it stays for the next session.
      const told = await setRest(viewIn(mine), head, files).catch(() => null);
      if (told === null) continue;
      found.told.push(...told);
      taken.push(mine);
    }
    removeEmpty(place);
  }
  return found;
}

const discard = (folder: string): Promise<void> => removeOverlays(folder).catch(() => undefined);

const removeEmpty = (folder: string): void => attempt(() => rmdirSync(folder), undefined);

/** Moves what was not taken over to where the user finds it; returns what to tell about all of it. Throws the system's error. */
async function setRest(
  view: string,
  { roots, aside }: JournalHead,
  files: readonly StateChange[],
): Promise<string[]> {
  await removeWork(view);
  if (list(view).some((part) => list(join(view, part, "upper")).length > 0)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    renameSync(view, join(aside, "rest"));
  }
  await discard(view);
  for (const folder of new Set(files.map(({ path }) => dirname(path))))
    await removeParts(folder).catch(() => undefined);
  const place = roots.join(", ");
  if (files.length > 0)
    return [
      `An earlier session ended before the changes of a command in ${place} were in its log: what it changed there ` +
        `can be rewound now${existsSync(aside) ? `, and what was not taken over is in ${aside}` : ""}.`,
    ];
  if (!existsSync(aside)) return [];
  return [
    `An earlier session ended before the changes of a command in ${place} were taken over: they are in ${aside}.`,
  ];
}

const list = (folder: string): string[] => attempt(() => readdirSync(folder), []);
