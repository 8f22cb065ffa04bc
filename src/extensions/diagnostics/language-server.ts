/** One running language server: it is told of changes and reports which errors are new. */

import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { leadsGroup } from "../../base/signals.ts";
import type { FileChange } from "../../tools/files/file-access.ts";
import type { FoundServer, Language } from "./languages.ts";
import { type Problem, newOnes, reportsOn } from "./reports.ts";
import { spawn } from "node:child_process";
import {
  CancellationTokenSource,
  type DataCallback,
  type Disposable,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { endGroup } from "../../tools/shell/process-group.ts";

/** How long a server may take, in milliseconds. The agent does not wait that long. */
export type Patience = {
  initialize: number;
  /** For its report on a file before the change. */
  baseline: number;
  report: number;
  /** After a report, for a fuller one of the same file. */
  settle: number;
};

/** Servers written in Go leave out a 0. */
const firstVersion = 1;

/** Documents that are open at once. */
const maxDocuments = 50;

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
  /** Versions of the open files, the most recently sent one last. */
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
    await connection.request("initialize", wanted, patience.initialize);
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
    if (!(await reports.next(path, firstVersion, patience.baseline))) return false;
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
    for (const oldest of [...documents.keys()].slice(0, -maxDocuments))
      if (!awaited.includes(oldest)) closeDocument(oldest);
  }

  /** Servers that check on disk do so when a file is saved. */
  function send(path: string, text: string): void {
    const version = (documents.get(path) ?? firstVersion) + 1;
    documents.delete(path);
    documents.set(path, version);
    notify("didChange", path, { version }, { contentChanges: [{ text }] });
    watched(path, changed);
    notify("didSave", path);
  }

  function closeDocument(path: string): void {
    documents.delete(path);
    notify("didClose", path);
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

/** A longer message ends the connection, in bytes. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Calls back for each message, and once the server has sent too much without completing one. */
class LimitedReader extends StreamMessageReader {
  #bytes = 0;

  constructor(stream: NodeJS.ReadableStream, onNonsense: () => void) {
    super(stream);
    let isStarted = false;
    stream.on("data", (chunk: Buffer) => {
      const isProtocol = isStarted || /^content-/i.test(chunk.toString("latin1"));
      isStarted = true;
      this.#bytes += chunk.length;
      if (!isProtocol || this.#bytes > maxMessageBytes) onNonsense();
    });
  }

  override listen(callback: DataCallback): Disposable {
    return super.listen((message) => {
      this.#bytes = 0;
      callback(message);
    });
  }
}

/** Times are of the machine's clock: nothing in the log depends on them. */
function connect(
  { command: [program = "", ...args], cwd, env }: Launched,
  onNotification: (method: string, params: unknown) => void,
) {
  const server = spawn(program, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "ignore"],
    // Processes that it starts end with it.
    ...leadsGroup,
  });
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
    new LimitedReader(server.stdout, stop),
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

    /** Rejects when the server refuses, does not answer in time, or ends. */
    async request(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
      const cancel = new CancellationTokenSource();
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        cancel.cancel();
        late.reject(new Error(`No answer to ${method}.`));
      }, timeoutMs);
      try {
        const answer: Promise<unknown> = connection.sendRequest(method, params, cancel.token);
        return await Promise.race([answer, late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },

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
