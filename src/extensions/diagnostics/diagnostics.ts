/**
 * The language servers of a session: they are told what the model changed, and report what it
 * broke.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sleep, systemClock, type Clock } from "../../base/clock.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import { counted } from "../../base/format.ts";
import type { ToolRunner } from "../../tools/tool-runner.ts";
import type { FileChange } from "../../tools/files/file-access.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import type { Launched, LanguageServer, Patience } from "./language-server.ts";
import { findServer, findLanguage, type Language } from "./languages.ts";
import { describe } from "./reports.ts";

type DiagnosticsOptions = {
  /** A trusted folder, without symlinks: servers run its code. */
  root: string;
  /** Paths are shown from here. */
  cwd: string;
  PATH: string;
  /** How a program is started in a folder; confined where that is possible. */
  launch(program: readonly string[], folder: string): Promise<Launched>;
  clock: Pick<Clock, "after">;
  patience?: Patience;
  /** Longest time that a call to the model waits for reports, in milliseconds. */
  waitMs?: number;
};

/** A larger file is not sent to a server, in characters. */
const maxChars = 1_000_000;

/** Each may take a gigabyte of memory. */
const maxServers = 4;

const usualPatience: Patience = { report: 60_000, settle: 150 };

export type Diagnostics = ReturnType<typeof createDiagnostics>;

export function createDiagnostics(options: DiagnosticsOptions) {
  const { root, cwd, PATH, launch, clock, patience = usualPatience, waitMs = 2_000 } = options;
  /** Servers by language and folder; null: there is none, or it cannot be used. */
  const servers = new Map<string, Promise<LanguageServer | null>>();
  const running: LanguageServer[] = [];
  /** Servers that are still checking changes. */
  const working = new Map<string, Promise<void>>();
  /** Servers that did not answer in time: no call waits for them again until they have caught up. */
  const overdue = new Set<string>();
  let isClosed = false;

  async function tell(key: string, change: FileChange): Promise<void> {
    const server = await servers.get(key);
    server?.change(change);
    await server?.working;
  }

  async function start(
    language: Language,
    folder: string,
    changed: string,
  ): Promise<LanguageServer | null> {
    const found = findServer(language, { PATH, folders: foldersBetween(root, changed) });
    if (!found || isClosed) return null;
    const launched = await launch([found.path, ...found.args], folder);
    if (isClosed) return null;
    const { startServer } = await import("./language-server.ts");
    const server = startServer(language, found, { launched, root, patience });
    running.push(server);
    return server;
  }

  return {
    /** Starts a server with the first change of a file that it is for. */
    changed(change: FileChange): void {
      const { path, before, after } = change;
      const language = findLanguage(path);
      if (!language || isClosed || !holds(root, path)) return;
      if (Math.max(after.length, before?.length ?? 0) > maxChars) return;
      const folder = findFolder(language, root, path);
      const key = `${language.name} ${folder}`;
      if (!servers.has(key)) {
        if (servers.size === maxServers) return;
        const started = start(language, folder, dirname(path)).catch(() => null);
        servers.set(key, started);
      }
      const work = tell(key, change);
      working.set(key, work);
      void work.then(() => {
        if (working.get(key) !== work) return;
        working.delete(key);
        overdue.delete(key);
      });
    },

    /** New errors. Waits briefly for reports on the newest changes. */
    async news(signal: AbortSignal): Promise<ContextFact[]> {
      const awaited = [...working].filter(([key]) => !overdue.has(key));
      if (awaited.length > 0) {
        const enough = new AbortController();
        const stop = AbortSignal.any([signal, enough.signal]);
        await Promise.race([
          Promise.all(awaited.map(([, work]) => work)),
          sleep(clock, waitMs, stop),
        ]);
        enough.abort();
        for (const key of working.keys()) overdue.add(key);
      }
      return running.flatMap((server): ContextFact[] => {
        const found = server.takeNew();
        if (found.size === 0) return [];
        const count = [...found.values()].flat().length;
        const title = `${counted(count, "new error")} from ${server.name}`;
        return [contextFact("reminder", title, describe(server.name, found, cwd))];
      });
    },

    async close(): Promise<void> {
      // A server that is about to start sees this and does not.
      isClosed = true;
      await Promise.all(running.map((server) => server.close()));
    },
  };
}

/** The outermost folder that holds one of the language's markers; the root when there is none. */
const findFolder = ({ markers }: Language, root: string, path: string): string =>
  foldersBetween(root, dirname(path)).find((folder) =>
    markers.some((marker) => existsSync(join(folder, marker))),
  ) ?? root;

/** For a trusted folder, without symlinks. The client is loaded with the first change of a file. */
export const openDiagnostics = (
  { root, cwd }: { root: string; cwd: string },
  PATH: string,
  toolbox: Pick<ToolRunner, "launchProgram">,
): Diagnostics =>
  createDiagnostics({
    root,
    cwd,
    PATH,
    launch: (program, folder) => toolbox.launchProgram(program, { cwd: folder, write: false }),
    clock: systemClock,
  });
