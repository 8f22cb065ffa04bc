/** A language server as a child process: requests to it, and its notifications. */

import { z } from "zod";
import { endGroup } from "../tools/shell/process-group.ts";
import { frame, MessageReader } from "./framing.ts";

/** How a server is started: the whole of its command line and its environment. */
export type Launched = { command: string[]; cwd: string; env: Record<string, string> };

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).nullish(),
});

type Message = z.infer<typeof messageSchema>;

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 500;

/** Times are of the machine's clock: nothing in the log depends on them. */
export class Connection {
  readonly #process: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #onNotification: (method: string, params: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;
  #ending: Promise<void> | null = null;
  /** Resolves once it has ended. */
  readonly ended: Promise<void>;

  /** Throws when the program cannot be run. */
  constructor(
    { command, cwd, env }: Launched,
    onNotification: (method: string, params: unknown) => void,
  ) {
    this.#onNotification = onNotification;
    this.#process = Bun.spawn(command, {
      cwd,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // It leads a process group, so that what it starts ends with it.
      detached: true,
    });
    this.ended = this.#read().then(() => this.end());
  }

  /** Rejects when the server refuses, does not answer in time, or ends. */
  request(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
    if (this.#ending) return Promise.reject(gone());
    const id = ++this.#requests;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new Error(`No answer to ${method}.`)), timeoutMs);
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    for (const { reject } of this.#waiting.values()) reject(gone());
    await Promise.resolve(this.#process.stdin.end()).catch(() => undefined);
    await endGroup(this.#process.pid, graceMs);
  }

  async #read(): Promise<void> {
    const reader = new MessageReader();
    try {
      for await (const chunk of this.#process.stdout)
        for (const one of reader.push(chunk)) this.#take(one);
    } catch {
      // It sent something that cannot be parsed: the connection ends.
    }
  }

  #take(value: unknown): void {
    const { data: message } = messageSchema.safeParse(value);
    if (!message) return;
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    } else if (id === undefined || id === null) this.#onNotification(method, params);
    else this.#send({ id, ...answerTo(method, params) });
  }

  #send(message: Pick<Message, "id" | "method"> & Record<string, unknown>): void {
    if (this.#ending) return;
    const { stdin } = this.#process;
    Promise.resolve(stdin.write(frame({ jsonrpc: "2.0", ...message })))
      .then(() => stdin.flush())
      .catch(() => undefined);
  }
}

const gone = (): Error => new Error("The language server has ended.");

const configurationSchema = z.object({ items: z.array(z.unknown()).max(100) });

/** No server is configured by us; what else it asks for is only noted or refused. */
function answerTo(method: string, params: unknown): Record<string, unknown> {
  switch (method) {
    case "workspace/configuration": {
      const { data } = configurationSchema.safeParse(params);
      return { result: (data?.items ?? []).map(() => null) };
    }
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
    case "workspace/diagnostic/refresh":
      return { result: null };
    default:
      return { error: { code: -32601, message: `There is no ${method}.` } };
  }
}
