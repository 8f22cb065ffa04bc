/** One running language server: receives edits and reports new errors. */

import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { leadsGroup } from "../../base/signals.ts";
import type { FileChange } from "../../tools/files/file-access.ts";
import type { FoundServer, Language } from "./languages.ts";
import { type Problem, newOnes, reportsOn } from "./reports.ts";
import { spawn } from "node:child_process";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { endGroup } from "../../tools/shell/process-group.ts";

/** How long a server may take, in milliseconds. The agent does not wait that long. */
export type Patience = {
  /** For its start, and for its report on a file. */
  report: number;
  /** After a report, for a fuller one of the same file. */
  settle: number;
};

/** Servers written in Go leave out a 0. */
const firstVersion = 1;

export type LanguageServer = ReturnType<typeof startServer>;

/**
 * Starts a server. `root`: files of other folders do not matter. Throws when the program cannot be
 * run.
 */
export function startServer(
  language: Language,
  { program, unversioned = false }: Omit<FoundServer, "path" | "args">,
  { launched, root, patience }: { launched: Launched; root: string; patience: Patience },
) {
  const reports = reportsOn(root, unversioned);
  const connection = connect(launched, (method, params) => {
    if (method === "textDocument/publishDiagnostics") reports.take(params);
  });
  /** Problems from before the model's changes, and those it has been told. */
  const known = new Map<string, readonly Problem[]>();
  /** Versions of the open files. */
  const documents = new Map<string, number>();
  const untold = new Map<string, FileChange>();
  /** Files about which a report is awaited. */
  let awaited: readonly string[] = [];
  let work: Promise<void> | null = null;
  let isFirst = true;

  const close = (): Promise<void> => connection.end();

  async function initialize(): Promise<void> {
    const rootUri = pathToFileURL(launched.cwd).href;
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
    const late = setTimeout(close, patience.report);
    await connection.request("initialize", wanted).finally(() => clearTimeout(late));
    connection.notify("initialized", {});
  }

  async function sync(): Promise<void> {
    await ready;
    while (untold.size > 0) {
      const changes = [...untold.values()];
      awaited = changes.map(({ path }) => path);
      untold.clear();
      const isBaselineKnown = await Promise.all(changes.map(openBefore));
      if (isBaselineKnown.every(Boolean)) noteOthers();
      await Promise.all(changes.map(update));
      await Bun.sleep(patience.settle);
      noteOthers();
      awaited = [];
    }
  }

  /** Opens a file as it was before a change. Returns whether its older errors are known. */
  async function openBefore({ path, before }: FileChange): Promise<boolean> {
    if (documents.has(path)) return true;
    if (before === null) return false;
    openDocument(path, before);
    if (!(await reports.next(path, firstVersion, patience.report))) return false;
    await Bun.sleep(patience.settle);
    known.set(path, reports.of(path));
    return true;
  }

  async function update({ path, after }: FileChange): Promise<void> {
    if (documents.has(path)) send(path, after);
    else {
      known.set(path, []);
      openDocument(path, after);
      watched(path, created);
    }
    await reports.next(path, documents.get(path) ?? firstVersion, patience.report);
  }

  function openDocument(path: string, text: string): void {
    documents.set(path, firstVersion);
    const languageId = language.ids[extname(path)];
    notify("didOpen", path, { languageId, version: firstVersion, text });
  }

  /** Servers that check on disk do so when a file is saved. */
  function send(path: string, text: string): void {
    const version = (documents.get(path) ?? firstVersion) + 1;
    documents.set(path, version);
    notify("didChange", path, { version }, { contentChanges: [{ text }] });
    watched(path, changed);
    notify("didSave", path);
  }

  /** Its first reports about other files describe errors that were there before. */
  function noteOthers(): void {
    if (!isFirst) return;
    isFirst = false;
    for (const [path, problems] of reports.all) if (!documents.has(path)) known.set(path, problems);
  }

  function notify(method: string, path: string, document: object = {}, more: object = {}): void {
    const textDocument = { uri: pathToFileURL(path).href, ...document };
    connection.notify(`textDocument/${method}`, { textDocument, ...more });
  }

  function watched(path: string, type: number): void {
    const changes = [{ uri: pathToFileURL(path).href, type }];
    connection.notify("workspace/didChangeWatchedFiles", { changes });
  }

  void connection.ended.then(reports.close);
  const ready = initialize();
  ready.catch(close);

  return {
    name: program,

    change(change: FileChange): void {
      const waiting = untold.get(change.path);
      untold.set(change.path, waiting ? { ...change, before: waiting.before } : change);
      work ??= sync()
        .catch(() => untold.clear())
        .finally(() => (work = null));
    },

    /** Resolves once it has reported about all changes; null: it has. */
    get working(): Promise<void> | null {
      return work;
    },

    /** New errors by path; those of files that are still being checked come later. */
    takeNew(): Map<string, Problem[]> {
      const found = new Map<string, Problem[]>();
      const unsettled = new Set([...awaited, ...untold.keys()]);
      for (const path of new Set([...reports.all.keys(), ...known.keys()])) {
        if (unsettled.has(path) || (isFirst && !known.has(path))) continue;
        const problems = reports.of(path);
        const unknown = newOnes(known.get(path) ?? [], problems);
        if (unknown.length > 0) found.set(path, unknown);
        known.set(path, problems);
      }
      return found;
    },

    close,
  };
}

/** The protocol's kinds of a change on disk. */
const created = 1;
const changed = 2;

/** How a server is started: the whole of its command line and its environment. */
export type Launched = { command: string[]; cwd: string; env: Record<string, string> };

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 500;

/** Times are of the machine's clock: nothing in the log depends on them. */
function connect(
  { command: [program = "", ...args], cwd, env }: Launched,
  onNotification: (method: string, params: unknown) => void,
) {
  const stdio = ["pipe", "pipe", "ignore"] as const;
  // Processes that it starts end with it.
  const server = spawn(program, args, { cwd, env, stdio: [...stdio], ...leadsGroup });
  const ended = Promise.withResolvers<void>();
  let ending: Promise<void> | null = null;
  const end = (): Promise<void> => (ending ??= close());

  async function close(): Promise<void> {
    connection.dispose();
    server.stdin.end();
    if (server.pid !== undefined) await endGroup(server.pid, graceMs);
    ended.resolve();
  }

  const stop = (): void => void end();
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  server.on("error", stop);
  connection.onError(stop);
  connection.onClose(stop);
  connection.onNotification(onNotification);
  connection.onRequest("workspace/configuration", (params: unknown) => {
    const { data } = configurationSchema.safeParse(params);
    return (data?.items ?? []).map(() => null);
  });
  for (const method of noted) connection.onRequest(method, () => null);
  connection.listen();

  return {
    /** Resolves once it has ended. */
    ended: ended.promise,

    end,

    /** Rejects when the server refuses or ends. */
    request: (method: string, params: unknown): Promise<unknown> =>
      connection.sendRequest(method, params),

    notify(method: string, params: unknown): void {
      if (!ending) connection.sendNotification(method, params).catch(() => undefined);
    },
  };
}

/** No server is configured by us. */
const configurationSchema = z.object({ items: z.array(z.unknown()).max(100) });

/** Requests that are noted and otherwise ignored; all others are refused. */
const noted = [
  "client/registerCapability",
  "client/unregisterCapability",
  "window/workDoneProgress/create",
  "window/showMessageRequest",
  "workspace/diagnostic/refresh",
];
