/** Commands that run now, in all sessions: a file each, which tells the next session what a killed one left. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../base/durable.ts";
import { attempt, parseJson } from "../base/guards.ts";
import { processStart } from "../base/processes.ts";
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
  /** Once it has ended: what it changed, until that is in the log. */
  files: z.array(fileChangeSchema).exactOptional(),
  late: z.array(fileChangeSchema).exactOptional(),
});
type JournalEntry = z.infer<typeof entrySchema>;

export type LeftCommand = JournalEntry & { id: string };

export type Journal = ReturnType<typeof openJournal>;

const folderIn = (own: string): string => join(own, "snapshots", "running");

/** For commands of other sessions, before it happens: they ask when they have ended. `own`: our own folder. */
export function noteWrites(own: string, session: string, paths: readonly string[]): void {
  mkdirSync(folderIn(own), { recursive: true, mode: 0o700 });
  const lines = paths.map((path) => `${Date.now()} ${JSON.stringify(path)}\n`);
  appendFileSync(join(folderIn(own), `${session}.writes`), lines.join(""), { mode: 0o600 });
}

const dayMs = 24 * 60 * 60_000;

/** The longest time from a note to its write. */
const maxDelayMs = 60_000;

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
  const besideOf = (id: string): string => join(folder, `${id}.beside`);

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

  /** Tells commands of other sessions in these folders that they are not alone; whether there are any. */
  function tellOthers(): boolean {
    const beside = others().filter(
      (other) => !other.files && isAlive(other) && meet(other.roots, roots),
    );
    for (const { id } of beside) attempt(() => writeFileSync(besideOf(id), ""), undefined);
    return beside.length > 0;
  }

  return {
    /** Paths that file tools of other sessions wrote since then, or were about to. */
    writtenElsewhere(sinceMs: number): Set<string> {
      const files = readdirSync(folder).filter(
        (name) => name.endsWith(".writes") && name !== `${session}.writes`,
      );
      const lines = files.flatMap((name) =>
        attempt(() => readFileSync(join(folder, name), "utf8"), "").split("\n"),
      );
      return new Set(
        lines.flatMap((line) => {
          const [, ms, text = ""] = /^(\d+) (.*)$/.exec(line) ?? [];
          const path = Number(ms) > sinceMs - maxDelayMs ? parseJson(text) : null;
          return typeof path === "string" ? [path] : [];
        }),
      );
    },

    /** `late`: changes from before it, which are not in the log yet. */
    begin(command: string, late: Change[]): { id: string; command: string } {
      const id = crypto.randomUUID();
      write({ id, command, late });
      if (tellOthers()) writeFileSync(besideOf(id), "");
      return { id, command };
    },

    /** Whether another session wrote meanwhile, or could have. */
    isBeside: (id: string): boolean => existsSync(besideOf(id)),

    end(id: string, command: string, files: Change[]): void {
      write({ id, command, files });
      rmSync(besideOf(id), { force: true });
      ended.add(id);
    },

    /** All that ended is in the log. */
    logged(): void {
      for (const id of ended) rmSync(fileOf(id), { force: true });
      ended.clear();
    },

    /** Commands of killed sessions in these folders; ours from now on, until `logged`. */
    takeLeft(): LeftCommand[] {
      for (const name of readdirSync(folder).filter((name) => name.endsWith(".writes")))
        attempt(() => {
          const file = join(folder, name);
          if (statSync(file).mtimeMs < Date.now() - dayMs) rmSync(file);
        }, undefined);
      const left = others().filter((other) => other.roots[0] === roots[0] && !isAlive(other));
      return left.flatMap((entry) => {
        const own = crypto.randomUUID();
        if (!attempt(() => (renameSync(fileOf(entry.id), fileOf(own)), true), false)) return [];
        rmSync(besideOf(entry.id), { force: true });
        const { command, files, late } = entry;
        write({ id: own, command, ...(files && { files }), ...(late && { late }) });
        ended.add(own);
        return [{ ...entry, id: own }];
      });
    },
  };
}

const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((root) => others.some((other) => holds(root, other) || holds(other, root)));

function isAlive({ pid, started }: JournalEntry): boolean {
  if (!attempt(() => process.kill(pid, 0), false)) return false;
  return started === "" || processStart(pid) === started;
}
