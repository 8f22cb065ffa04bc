import { stat } from "node:fs/promises";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { textOfRegular } from "../disk/regular-file.ts";
import type { FileChange } from "../tools/files/file-access.ts";
import { connect, type Connection, type Launched } from "./connection.ts";
import type { FoundServer, Language } from "./languages.ts";
import { newOnes, type Problem } from "./problems.ts";
import { reportsOn, type Reports } from "./reports.ts";

/** How long a server may take, in milliseconds. The agent does not wait that long. */
export type Patience = {
  initialize: number;
  /** For its report on a file before the change. */
  baseline: number;
  report: number;
  /** After a report, for a fuller one of the same file. */
  settle: number;
};

type Document = { version: number; mtimeMs: number | null };

const pulledSchema = z.object({ items: z.array(z.unknown()) });

/** Servers written in Go leave out a 0. */
const firstVersion = 1;

/** A file that has grown beyond this is closed. */
const maxFileBytes = 4 * 1024 * 1024;

/** Documents that are open at once. */
const maxDocuments = 50;

/** One running server: it is told of changes, and reports which errors are new. */
export class LanguageServer {
  readonly name: string;
  readonly #language: Language;
  readonly #patience: Patience;
  /** It reports only when it is asked. */
  readonly #pulls: boolean;
  readonly #connection: Connection;
  readonly #reports: Reports;
  /** What was there before the model's changes, or has been reported to it. */
  readonly #known = new Map<string, readonly Problem[]>();
  readonly #documents = new Map<string, Document>();
  readonly #ready: Promise<unknown>;
  readonly #changes = new Map<string, FileChange>();
  /** Files about which a report is awaited. */
  #awaited: readonly string[] = [];
  #work: Promise<void> | null = null;
  #isFirst = true;

  /** `root`: files of other folders do not matter. Throws when the program cannot be run. */
  constructor(
    language: Language,
    { program, pulls = false, unversioned = false }: Omit<FoundServer, "path" | "args">,
    { launched, root, patience }: { launched: Launched; root: string; patience: Patience },
  ) {
    this.name = program;
    this.#language = language;
    this.#pulls = pulls;
    this.#patience = patience;
    this.#reports = reportsOn(root, unversioned);
    this.#connection = connect(launched, (method, params) => {
      if (method === "textDocument/publishDiagnostics") this.#reports.take(params);
    });
    void this.#connection.ended.then(() => this.#reports.close());
    this.#ready = this.#initialize(launched.cwd);
    this.#ready.catch(() => this.close());
  }

  change(change: FileChange): void {
    const waiting = this.#changes.get(change.path);
    this.#changes.set(change.path, waiting ? { ...change, before: waiting.before } : change);
    this.#work ??= this.#sync()
      .catch(() => this.#changes.clear())
      .finally(() => (this.#work = null));
  }

  /** Resolves once it has reported about all changes; null: it has. */
  get working(): Promise<void> | null {
    return this.#work;
  }

  /** New errors by path; those of files that are still being checked come later. */
  takeNew(): Map<string, Problem[]> {
    const found = new Map<string, Problem[]>();
    const unsettled = new Set([...this.#awaited, ...this.#changes.keys()]);
    for (const path of new Set([...this.#reports.all.keys(), ...this.#known.keys()])) {
      if (unsettled.has(path) || (this.#isFirst && !this.#known.has(path))) continue;
      const problems = this.#reports.of(path);
      const unknown = newOnes(this.#known.get(path) ?? [], problems);
      if (unknown.length > 0) found.set(path, unknown);
      this.#known.set(path, problems);
    }
    return found;
  }

  close(): Promise<void> {
    return this.#connection.end();
  }

  async #initialize(folder: string): Promise<void> {
    const rootUri = pathToFileURL(folder).href;
    const wanted = {
      processId: null,
      clientInfo: { name: "mini-claude" },
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "project" }],
      // Typings would be downloaded while the model works.
      initializationOptions: { disableAutomaticTypingAcquisition: true },
      capabilities: {
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true },
          ...(this.#pulls ? { diagnostic: {} } : {}),
        },
        workspace: { configuration: true, workspaceFolders: true },
      },
    };
    await this.#connection.request("initialize", wanted, this.#patience.initialize);
    this.#connection.notify("initialized", {});
  }

  async #sync(): Promise<void> {
    await this.#ready;
    while (this.#changes.size > 0) {
      const changes = [...this.#changes.values()];
      this.#awaited = changes.map(({ path }) => path);
      this.#changes.clear();
      await this.#refresh();
      const isBaselineKnown = await Promise.all(changes.map((change) => this.#open(change)));
      if (isBaselineKnown.every(Boolean)) this.#noteOthers();
      await Promise.all(changes.map((change) => this.#update(change)));
      await this.#pullOthers();
      await Bun.sleep(this.#patience.settle);
      this.#noteOthers();
      this.#awaited = [];
    }
  }

  /** Opens a file as it was before a change. Returns whether its older errors are known. */
  async #open({ path, before }: FileChange): Promise<boolean> {
    if (this.#documents.has(path)) return true;
    if (before === null) return false;
    this.#openDocument(path, before);
    if (!(await this.#reports.next(path, firstVersion, this.#patience.baseline))) return false;
    await Bun.sleep(this.#patience.settle);
    this.#known.set(path, this.#reports.of(path));
    return true;
  }

  async #update({ path, after }: FileChange): Promise<void> {
    if (this.#documents.has(path)) await this.#send(path, after);
    else {
      this.#known.set(path, []);
      this.#openDocument(path, after);
      this.#watched(path, created);
    }
    const version = this.#documents.get(path)?.version ?? firstVersion;
    await this.#reports.next(path, version, this.#patience.report);
  }

  #openDocument(path: string, text: string): void {
    this.#documents.set(path, { version: firstVersion, mtimeMs: null });
    const languageId = this.#language.ids[extname(path)];
    this.#notify("didOpen", path, { languageId, version: firstVersion, text });
    void this.#pull(path, firstVersion);
    for (const oldest of [...this.#documents.keys()].slice(0, -maxDocuments))
      if (!this.#awaited.includes(oldest)) this.#closeDocument(oldest);
  }

  /** Servers that check on disk do so when a file is saved. */
  async #send(path: string, text: string): Promise<void> {
    const version = (this.#documents.get(path)?.version ?? firstVersion) + 1;
    // Moves the document to the end: the most recently sent one is last.
    this.#documents.delete(path);
    this.#documents.set(path, { version, mtimeMs: await modified(path) });
    this.#notify("didChange", path, { version }, { contentChanges: [{ text }] });
    this.#watched(path, changed);
    this.#notify("didSave", path);
    void this.#pull(path, version);
  }

  async #pullOthers(): Promise<void> {
    const others = [...this.#documents].filter(([path]) => !this.#awaited.includes(path));
    await Promise.all(others.map(([path, { version }]) => this.#pull(path, version)));
  }

  /** Asks a server that reports only when asked. Its answer counts as a report. */
  async #pull(path: string, version: number): Promise<void> {
    if (!this.#pulls) return;
    const uri = pathToFileURL(path).href;
    const asked = { textDocument: { uri } };
    const answer = await this.#connection
      .request("textDocument/diagnostic", asked, this.#patience.report)
      .catch(() => null);
    this.#reports.take({ uri, version, diagnostics: pulledSchema.safeParse(answer).data?.items });
  }

  /** Reports open files that something else has changed since. */
  async #refresh(): Promise<void> {
    const documents = [...this.#documents];
    for (const [path, { mtimeMs }] of documents) {
      if (this.#awaited.includes(path) || (await modified(path)) === mtimeMs) continue;
      const text = await textOfRegular(path, maxFileBytes);
      if (text === null) this.#closeDocument(path);
      else await this.#send(path, text);
    }
  }

  #closeDocument(path: string): void {
    this.#documents.delete(path);
    this.#notify("didClose", path);
  }

  /** Its first reports about other files describe errors that were there before. */
  #noteOthers(): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    for (const [path, problems] of this.#reports.all)
      if (!this.#documents.has(path)) this.#known.set(path, problems);
  }

  #notify(method: string, path: string, document: object = {}, more: object = {}): void {
    const textDocument = { uri: pathToFileURL(path).href, ...document };
    this.#connection.notify(`textDocument/${method}`, { textDocument, ...more });
  }

  #watched(path: string, type: number): void {
    const changes = [{ uri: pathToFileURL(path).href, type }];
    this.#connection.notify("workspace/didChangeWatchedFiles", { changes });
  }
}

/** The protocol's kinds of a change on disk. */
const created = 1;
const changed = 2;

/** Null when there is no such file. */
const modified = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
