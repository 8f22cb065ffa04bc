/** A language server as a child process: requests to it, and its notifications. */

import { spawn } from "node:child_process";
import {
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { z } from "zod";
import { endGroup } from "../../tools/shell/process-group.ts";

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
export function connect(
  { command: [program = "", ...args], cwd, env }: Launched,
  onNotification: (method: string, params: unknown) => void,
) {
  const server = spawn(program, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "ignore"],
    // It leads a process group, so that what it starts ends with it.
    detached: true,
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
