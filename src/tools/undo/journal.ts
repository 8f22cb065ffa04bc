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
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { disk, writeAllSync } from "../../base/durable.ts";
import { attempt, parseJson } from "../../base/guards.ts";
import { fileChangeSchema } from "../../protocol/entry.ts";
import { isOfRunning, layersOf } from "../sandbox/layers.ts";
import { removeOverlays, removeWork } from "../sandbox/overlay.ts";
import type { StateChange } from "./workspace-state.ts";

const headSchema = z.object({ roots: z.array(z.string()), aside: z.string() });

/** `aside`: where what is not taken over goes. */
type JournalHead = z.infer<typeof headSchema>;

const journalEnd = ".journal";

/** `folder`: of the command's overlays. Throws the system's error. */
export function openJournal(folder: string, head: JournalHead) {
  const file = folder + journalEnd;

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
    close: (): void => rmSync(file, { force: true }),
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

/** Leftovers of other workspaces wait for them, in milliseconds. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Takes on what commands in these folders left when their sessions ended too early. `own`: our folder. */
export async function recoverCommands(own: string, roots: readonly string[]): Promise<Leftovers> {
  const found: Leftovers = {
    files: [],
    told: [],
    close: () => taken.forEach((file) => rmSync(file, { force: true })),
  };
  const taken: string[] = [];
  const all = join(own, "layers");
  for (const name of list(all)) {
    if (isOfRunning(name)) continue;
    const names = list(join(all, name));
    for (const inner of names) {
      const at = join(all, name, inner);
      const folder = at.endsWith(journalEnd) ? at.slice(0, -journalEnd.length) : at;
      // Of a command that did not begin.
      if (folder === at && !names.includes(inner + journalEnd)) await removeOverlays(at);
      if (folder === at) continue;
      const [first, ...lines] = attempt(() => readFileSync(at, "utf8"), "").split("\n");
      const head = headSchema.safeParse(parseJson(first ?? "")).data;
      const isOurs = head?.roots.some((root) => roots.includes(root)) === true;
      const isOld = attempt(() => statSync(at).mtimeMs, 0) < Date.now() - keptMs;
      if (!isOurs && head !== undefined && !isOld) continue;
      // Whoever moves it has it, and if that session is killed as well, the next one.
      const mine = join(layersOf(own), `${name}-${basename(at)}`);
      if (!attempt(() => (renameSync(at, mine), true), false)) continue;
      taken.push(mine);
      if (head === undefined || !isOurs) {
        await removeOverlays(folder);
        continue;
      }
      const files = lines.flatMap((line) => fileChangeSchema.safeParse(parseJson(line)).data ?? []);
      found.files = [...found.files, ...files];
      found.told.push(...(await setRest(folder, head, files.length)));
    }
    attempt(() => rmdirSync(join(all, name)), undefined);
  }
  return found;
}

/** Moves what was not taken over to where the user finds it; returns what to tell about all of it. */
async function setRest(folder: string, { roots, aside }: JournalHead, changes: number) {
  const rest = join(aside, "rest");
  await removeWork(folder);
  if (list(folder).some((part) => list(join(folder, part, "upper")).length > 0)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    attempt(() => renameSync(folder, rest), undefined);
  }
  await removeOverlays(folder);
  const place = roots.join(", ");
  if (changes > 0)
    return [
      `An earlier session ended before the changes of a command in ${place} were in its log: what it changed there ` +
        `can be rewound now${existsSync(aside) ? `, and what was not taken over is in ${aside}` : ""}.`,
    ];
  if (!existsSync(rest)) return [];
  return [
    `An earlier session ended before the changes of a command in ${place} were taken over: they are in ${rest}.`,
  ];
}

const list = (folder: string): string[] => attempt(() => readdirSync(folder), []);
