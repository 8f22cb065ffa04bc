/**
 * The language servers of a session: they are told what the model changed, and report what it
 * broke.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sleep, type Clock } from "../protocol/clock.ts";
import { type ContextFact, contextFact } from "../protocol/entry.ts";
import { counted } from "../protocol/in-words.ts";
import type { FileChange } from "../tools/files/file-access.ts";
import { foldersBetween, holds } from "../tools/workspace.ts";
import type { Launched } from "./connection.ts";
import { startServer, type LanguageServer, type Patience } from "./language-server.ts";
import { findServer, languageOf, type Language } from "./languages.ts";
import { describe } from "./problems.ts";

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

const usualPatience: Patience = {
  initialize: 60_000,
  baseline: 30_000,
  report: 60_000,
  settle: 150,
};

export class Diagnostics {
  readonly #options: DiagnosticsOptions;
  /** Servers by language and folder; null: there is none, or it cannot be used. */
  readonly #servers = new Map<string, Promise<LanguageServer | null>>();
  readonly #running: LanguageServer[] = [];
  /** Servers that are still checking changes. */
  readonly #work = new Map<string, Promise<void>>();
  /** Servers that did not answer in time: no call waits for them again until they have caught up. */
  readonly #overdue = new Set<string>();
  #isClosed = false;

  constructor(options: DiagnosticsOptions) {
    this.#options = options;
  }

  /** Starts a server with the first change of a file that it is for. */
  changed(change: FileChange): void {
    const { root } = this.#options;
    const { path, before, after } = change;
    const language = languageOf(path);
    if (!language || this.#isClosed || !holds(root, path)) return;
    if (Math.max(after.length, before?.length ?? 0) > maxChars) return;
    const folder = folderOf(language, root, path);
    const key = `${language.name} ${folder}`;
    if (!this.#servers.has(key)) {
      if (this.#servers.size === maxServers) return;
      this.#servers.set(
        key,
        this.#start(language, folder, dirname(path)).catch(() => null),
      );
    }
    const work = this.#tell(key, change);
    this.#work.set(key, work);
    void work.then(() => {
      if (this.#work.get(key) !== work) return;
      this.#work.delete(key);
      this.#overdue.delete(key);
    });
  }

  /** New errors. Waits briefly for reports on the newest changes. */
  async news(signal: AbortSignal): Promise<ContextFact[]> {
    const { clock, cwd, waitMs = 2_000 } = this.#options;
    const awaited = [...this.#work].filter(([key]) => !this.#overdue.has(key));
    if (awaited.length > 0) {
      const enough = new AbortController();
      const stop = AbortSignal.any([signal, enough.signal]);
      await Promise.race([
        Promise.all(awaited.map(([, work]) => work)),
        sleep(clock, waitMs, stop),
      ]);
      enough.abort();
      for (const key of this.#work.keys()) this.#overdue.add(key);
    }
    return this.#running.flatMap((server): ContextFact[] => {
      const found = server.takeNew();
      if (found.size === 0) return [];
      const count = [...found.values()].flat().length;
      const title = `${counted(count, "new error")} from ${server.name}`;
      return [contextFact("reminder", title, describe(server.name, found, cwd))];
    });
  }

  async close(): Promise<void> {
    // A server that is about to start sees this and does not.
    this.#isClosed = true;
    await Promise.all(this.#running.map((server) => server.close()));
  }

  async #tell(key: string, change: FileChange): Promise<void> {
    const server = await this.#servers.get(key);
    server?.change(change);
    await server?.working;
  }

  async #start(
    language: Language,
    folder: string,
    changed: string,
  ): Promise<LanguageServer | null> {
    const { root, PATH, launch, patience = usualPatience } = this.#options;
    const found = await findServer(language, { PATH, folders: foldersBetween(root, changed) });
    if (!found || this.#isClosed) return null;
    const launched = await launch([found.path, ...found.args], folder);
    if (this.#isClosed) return null;
    const server = startServer(language, found, { launched, root, patience });
    this.#running.push(server);
    return server;
  }
}

/** The outermost folder that holds one of the language's markers; the root when there is none. */
const folderOf = ({ markers }: Language, root: string, path: string): string =>
  foldersBetween(root, dirname(path)).find((folder) =>
    markers.some((marker) => existsSync(join(folder, marker))),
  ) ?? root;
