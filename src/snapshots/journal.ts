/** A file per running command, of all sessions, from which the next session recovers after a kill. */

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../base/durable.ts";
import { attempt, parseJson } from "../base/guards.ts";
import { isRunning, processStart } from "../base/processes.ts";
import { fileChangeSchema } from "../protocol/entry.ts";
import type { Change } from "./scan.ts";

const entrySchema = z.object({
  pid: z.number(),
  /** When that process was started, as the kernel counts; empty: unknown. */
  started: z.string(),
  /** One process can hold several. */
  session: z.string().default(""),
  roots: z.array(z.string()),
  command: z.string(),
  /** Changes of an ended command that are not in the log yet. */
  files: z.array(fileChangeSchema).exactOptional(),
  late: z.array(fileChangeSchema).exactOptional(),
});
type JournalEntry = z.infer<typeof entrySchema>;

export type LeftCommand = JournalEntry & { id: string };

const folderIn = (own: string): string => join(own, "snapshots", "running");

/**
 * Notes a write for commands of other sessions, which read the notes when they end. "file": by a file tool. "all": a
 * command begins or ends, and may write anything below the path.
 */
export function note(
  own: string,
  session: string,
  kind: "file" | "all",
  paths: readonly string[],
): void {
  mkdirSync(folderIn(own), { recursive: true, mode: 0o700 });
  const lines = paths.map((path) => `${Date.now()} ${kind} ${JSON.stringify(path)}\n`);
  appendFileSync(join(folderIn(own), `${session}.notes`), lines.join(""), { mode: 0o600 });
}

/** The longest time from a note to the write of a file. */
const maxDelayMs = 60_000;

const dayMs = 24 * 60 * 60_000;

/** `own`: our own folder. */
export function openJournal(own: string, session: string, roots: readonly string[]) {
  const folder = folderIn(own);
  makeFolder(folder);
  const ours = {
    pid: process.pid,
    started: processStart(process.pid),
    session,
    roots: [...roots],
  };
  const ended = new Set<string>();
  const fileOf = (id: string): string => join(folder, `${id}.json`);

  const write = ({ id, ...more }: Pick<LeftCommand, "id" | "command" | "files" | "late">): void => {
    const part = `${fileOf(id)}.part`;
    const entry: JournalEntry = { ...ours, ...more };
    writeFileSync(part, JSON.stringify(entry), { mode: 0o600 });
    renameSync(part, fileOf(id));
  };

  const others = (): LeftCommand[] =>
    readdirSync(folder).flatMap((name) => {
      const id = /^([\w-]+)\.json$/.exec(name)?.[1];
      const text = id && attempt(() => readFileSync(fileOf(id), "utf8"), null);
      const parsed = text ? entrySchema.safeParse(parseJson(text)) : null;
      if (!id || !parsed?.success) return [];
      return parsed.data.session === ours.session ? [] : [{ id, ...parsed.data }];
    });

  /** Commands of killed sessions in these folders. */
  const left = (): LeftCommand[] =>
    others().filter((other) => other.roots[0] === roots[0] && !isRunning(other));

  const notes = (): string[] =>
    readdirSync(folder).filter((name) => name.endsWith(".notes") && name !== `${session}.notes`);

  return {
    /** Whether another session wrote a path since then, or may have. */
    elsewhere(sinceMs: number): (path: string) => boolean {
      const running = others().filter((other) => !other.files && isRunning(other));
      const paths = new Set(running.flatMap((other) => other.roots));
      for (const name of notes())
        for (const line of attempt(() => readFileSync(join(folder, name), "utf8"), "").split(
          "\n",
        )) {
          const [, ms, kind, text = ""] = /^(\d+) (file|all) (.*)$/.exec(line) ?? [];
          const path =
            Number(ms) >= sinceMs - (kind === "file" ? maxDelayMs : 0) && parseJson(text);
          if (typeof path === "string") paths.add(path);
        }
      return (path) => {
        for (let at = path; ; at = dirname(at)) {
          if (paths.has(at)) return true;
          if (at === dirname(at)) return false;
        }
      };
    },

    /** `late`: earlier changes that are not in the log yet. */
    begin(command: string, late: Change[]): { id: string; command: string } {
      const id = crypto.randomUUID();
      write({ id, command, late });
      note(own, session, "all", roots);
      return { id, command };
    },

    end(id: string, command: string, files: Change[]): void {
      note(own, session, "all", roots);
      write({ id, command, files });
      ended.add(id);
    },

    /** The changes of all ended commands are in the log. */
    logged(): void {
      for (const id of ended) rmSync(fileOf(id), { force: true });
      ended.clear();
    },

    left,

    /** Takes over commands of killed sessions in these folders, until `logged`. */
    takeLeft(): LeftCommand[] {
      for (const name of notes())
        attempt(() => {
          const file = join(folder, name);
          if (statSync(file).mtimeMs < Date.now() - dayMs) rmSync(file);
        }, undefined);
      return left().flatMap((entry) => {
        const own = crypto.randomUUID();
        if (!attempt(() => (renameSync(fileOf(entry.id), fileOf(own)), true), false)) return [];
        const { command, files, late } = entry;
        write({ id: own, command, ...(files && { files }), ...(late && { late }) });
        ended.add(own);
        return [{ ...entry, id: own }];
      });
    },
  };
}
