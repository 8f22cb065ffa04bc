/**
 * The language servers of a session: they receive the model's changes and report the errors that these cause.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sleep, systemClock } from "../../base/clock.ts";
import { counted } from "../../base/format.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import type { FileChange } from "../../tools/files/file-access.ts";
import type { Launcher } from "../../tools/shell/launch.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import type { LanguageServer } from "./language-server.ts";
import { findLanguage, findProgram, type Language } from "./languages.ts";
import { describe } from "./reports.ts";

type DiagnosticsOptions = {
  /** A trusted folder, without symlinks: servers run its code. */
  root: string;
  /** Paths are shown from here. */
  cwd: string;
  PATH: string;
  /** How a program is started in a folder; confined where that is possible. */
  launch(program: readonly string[], folder: string): ReturnType<Launcher["program"]>;
  settleMs?: number;
  /** Longest time that a call to the model waits for reports, in milliseconds. */
  waitMs?: number;
};

/** A larger file is not sent to a server, in characters. */
const maxChars = 1_000_000;

/** Each may take a gigabyte of memory. */
const maxServers = 4;

export type Diagnostics = ReturnType<typeof openDiagnostics>;

/** A server is started with the first change of a file that it is for. */
export function openDiagnostics({
  root,
  cwd,
  PATH,
  launch,
  settleMs = 150,
  waitMs = 2_000,
}: DiagnosticsOptions) {
  /** Servers by language and folder; null: there is none, or it cannot be used. */
  const servers = new Map<string, Promise<LanguageServer | null>>();
  /** Work on changes that no call has waited for. */
  const working = new Map<string, Promise<void>>();
  const running: LanguageServer[] = [];
  let isClosed = false;

  async function start(language: Language, folder: string, changed: string) {
    const program = findProgram(language, PATH, foldersBetween(root, changed));
    if (!program || isClosed) return null;
    const launched = await launch([program.path, ...(language.args ?? [])], folder);
    if (isClosed) return null;
    const { startServer } = await import("./language-server.ts");
    const server = startServer(program.name, language, launched, { root, settleMs });
    running.push(server);
    return server;
  }

  return {
    changed(change: FileChange): void {
      const { path, before, after } = change;
      const language = findLanguage(path);
      if (!language || isClosed || !holds(root, path)) return;
      if (Math.max(after.length, before?.length ?? 0) > maxChars) return;
      const folder = findFolder(language, root, path);
      const key = `${language.programs[0]} ${folder}`;
      if (!servers.has(key) && servers.size === maxServers) return;
      const server = servers.get(key) ?? start(language, folder, dirname(path)).catch(() => null);
      servers.set(key, server);
      working.set(
        key,
        server.then((started) => started?.change(change)),
      );
    },

    /** New errors. Waits briefly for reports on the newest changes. */
    async news(signal: AbortSignal): Promise<ContextFact[]> {
      if (working.size > 0) {
        const enough = new AbortController();
        const stop = AbortSignal.any([signal, enough.signal]);
        await Promise.race([Promise.all(working.values()), sleep(systemClock, waitMs, stop)]);
        enough.abort();
        working.clear();
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
