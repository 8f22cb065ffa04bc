/** One running language server: receives edits and reports new errors. */

import { spawn } from "node:child_process";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { isRecord } from "../../base/guards.ts";
import { leadsGroup } from "../../base/signals.ts";
import type { FileChange } from "../../tools/files/file-access.ts";
import type { Launcher } from "../../tools/shell/launch.ts";
import { endGroup } from "../../tools/shell/process-group.ts";
import type { Language } from "./languages.ts";
import { type Problem, newOnes, parseReport } from "./reports.ts";

/** Timeout of its start and of its report on a file, in milliseconds. The agent waits less. */
const answerMs = 60_000;

/** Limit on remembered files with errors. */
const maxFiles = 500;

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 500;

/** Servers written in Go leave out a 0. */
const firstVersion = 1;

/** The protocol's kinds of a change on disk. */
const onDisk = { created: 1, changed: 2 };

export type LanguageServer = ReturnType<typeof startServer>;

/**
 * `root`: files of other folders do not matter. `settleMs`: waited after a report, for a fuller one of
 * the same file. Throws when the program cannot be run.
 */
export function startServer(
  name: string,
  { ids, unversioned }: Language,
  { command: [program = "", ...args], cwd, env }: Awaited<ReturnType<Launcher["program"]>>,
  { root, settleMs }: { root: string; settleMs: number },
) {
  // Processes that it starts end with it.
  const child = spawn(program, args, { cwd, env, ...leadsGroup });
  child.stderr.resume();
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let ending: Promise<void> | null = null;
  const close = (): Promise<void> => (ending ??= end());

  async function end(): Promise<void> {
    connection.dispose();
    child.stdin.end();
    tell();
    if (child.pid !== undefined) await endGroup(child.pid, graceMs);
  }

  child.on("error", close);
  connection.onError(close);
  connection.onClose(close);
  connection.onNotification("textDocument/publishDiagnostics", take);
  // No server is configured by us.
  connection.onRequest("workspace/configuration", (params: unknown) =>
    isRecord(params) && Array.isArray(params["items"]) ? params["items"].map(() => null) : [],
  );
  connection.onRequest(() => null);
  connection.listen();

  function notify(method: string, params: object): void {
    if (!ending) connection.sendNotification(method, params).catch(() => undefined);
  }

  async function initialize(): Promise<void> {
    const rootUri = pathToFileURL(cwd).href;
    const late = setTimeout(close, answerMs);
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
        },
        workspace: { configuration: true, workspaceFolders: true },
      },
    };
    await connection.sendRequest("initialize", wanted).finally(() => clearTimeout(late));
    notify("initialized", {});
  }

  const ready = initialize();
  ready.catch(close);

  /** Problems that it last published, by path. */
  const problems = new Map<string, readonly Problem[]>();
  /** Versions that it reported about since they were asked for; `news` resolves with any report. */
  const reported = new Map<string, number>();
  let news = Promise.withResolvers<void>();

  function tell(): void {
    news.resolve();
    news = Promise.withResolvers();
  }

  function take(params: unknown): void {
    const report = parseReport(params, root);
    if (!report) return;
    const { path, version, problems: found } = report;
    if (found.length === 0) problems.delete(path);
    else if (problems.has(path) || problems.size < maxFiles) problems.set(path, found);
    // Without a version, the reports of other servers are about the file on disk.
    reported.set(path, version ?? (unversioned ? Infinity : 0));
    tell();
  }

  /** Whether the server reports on this version of a file, or a later one, in time. */
  async function reports(path: string, version: number): Promise<boolean> {
    reported.delete(path);
    const late = AbortSignal.timeout(answerMs);
    late.addEventListener("abort", tell);
    const isReported = (): boolean => (reported.get(path) ?? 0) >= version;
    while (!isReported() && !late.aborted && !ending) await news.promise;
    return isReported();
  }

  /** Problems from before the model's changes, and those it has been told. */
  const known = new Map<string, readonly Problem[]>();
  /** Versions of the open files. */
  const documents = new Map<string, number>();
  const untold = new Map<string, FileChange>();
  /** Files about which a report is awaited. */
  let awaited: readonly string[] = [];
  let work: Promise<void> | null = null;
  let isFirst = true;

  async function sync(): Promise<void> {
    await ready;
    while (untold.size > 0) {
      const changes = [...untold.values()];
      awaited = changes.map(({ path }) => path);
      untold.clear();
      const isBaselineKnown = await Promise.all(changes.map(openBefore));
      if (isBaselineKnown.every(Boolean)) noteOthers();
      await Promise.all(changes.map(update));
      await Bun.sleep(settleMs);
      noteOthers();
      awaited = [];
    }
  }

  /** Opens a file as it was before a change. Returns whether its older errors are known. */
  async function openBefore({ path, before }: FileChange): Promise<boolean> {
    if (documents.has(path)) return true;
    if (before === null) return false;
    openDocument(path, before);
    if (!(await reports(path, firstVersion))) return false;
    await Bun.sleep(settleMs);
    known.set(path, problems.get(path) ?? []);
    return true;
  }

  async function update({ path, after }: FileChange): Promise<void> {
    const version = (documents.get(path) ?? 0) + 1;
    const uri = pathToFileURL(path).href;
    if (version === firstVersion) {
      known.set(path, []);
      openDocument(path, after);
    } else {
      documents.set(path, version);
      const contentChanges = [{ text: after }];
      notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
    }
    const type = version === firstVersion ? onDisk.created : onDisk.changed;
    notify("workspace/didChangeWatchedFiles", { changes: [{ uri, type }] });
    // Servers that check on disk do so when a file is saved.
    if (type === onDisk.changed) notify("textDocument/didSave", { textDocument: { uri } });
    await reports(path, version);
  }

  function openDocument(path: string, text: string): void {
    documents.set(path, firstVersion);
    const uri = pathToFileURL(path).href;
    const languageId = ids[extname(path)];
    const textDocument = { uri, languageId, version: firstVersion, text };
    notify("textDocument/didOpen", { textDocument });
  }

  /** The server's first reports on other files describe errors that existed before. */
  function noteOthers(): void {
    if (!isFirst) return;
    isFirst = false;
    for (const [path, found] of problems) if (!documents.has(path)) known.set(path, found);
  }

  return {
    name,

    /** Resolves once it has reported about all changes. */
    async change(change: FileChange): Promise<void> {
      const waiting = untold.get(change.path);
      untold.set(change.path, waiting ? { ...change, before: waiting.before } : change);
      work ??= sync()
        .catch(() => untold.clear())
        .finally(() => (work = null));
      await work;
    },

    /** New errors by path; those of files that are still being checked come later. */
    takeNew(): Map<string, Problem[]> {
      const found = new Map<string, Problem[]>();
      const unsettled = new Set([...awaited, ...untold.keys()]);
      for (const path of new Set([...problems.keys(), ...known.keys()])) {
        if (unsettled.has(path) || (isFirst && !known.has(path))) continue;
        const now = problems.get(path) ?? [];
        const unknown = newOnes(known.get(path) ?? [], now);
        if (unknown.length > 0) found.set(path, unknown);
        known.set(path, now);
      }
      return found;
    },

    close,
  };
}
