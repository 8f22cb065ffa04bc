/** Connections to servers, with the official client. Loaded when the first server is connected. */

import {
  Client,
  type JSONRPCMessage,
  ReadBuffer,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
  serializeMessage,
} from "@modelcontextprotocol/client";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { holds } from "../../tools/workspace.ts";
import type { Launcher } from "../../tools/shell/launch.ts";
import type { ServerConfig } from "./config.ts";
import type { LoginStore } from "./login.ts";
import { remoteTransport } from "./remote.ts";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { attempt } from "../../base/guards.ts";
import { leadsGroup } from "../../base/signals.ts";
import { endGroup } from "../../tools/shell/process-group.ts";

// The client prints warnings, some with a server's words in them. The screen and the output of -p are
// not for them, and nothing of this program uses the console.
console.warn = console.debug = (): void => undefined;

export type ServerContext = {
  /** The version of this program, for servers. */
  version: string;
  /** The root folder that servers are told and started in. */
  cwd: string;
  /** The environment of child processes and of `${VAR}`; no keys in it. */
  env: Record<string, string>;
  logins: LoginStore;
  /** How a program that lies in the workspace is started; absent: as the user would. */
  launch?: Launcher["program"] | undefined;
  timeouts: Timeouts;
  onChange(): void;
};

/** In milliseconds. */
export type Timeouts = {
  /** Until a server has listed its tools. */
  connect: number;
  /** Silence of a call: each report of progress restarts it. */
  call: number;
  /** How long a call waits for a server that is not connected. */
  wait: number;
};

type Surroundings = Pick<ServerContext, "cwd" | "env" | "logins" | "launch"> & {
  /** Receives the error output of a process. */
  onStderr(text: string): void;
};

/** The transport for a configuration. Throws when the address is not one. */
export function transportFor(config: ServerConfig, surroundings: Surroundings): Transport {
  if (config.type === "sdk") throw new Error("No program provides this server.");
  return config.type === "stdio"
    ? new StdioTransport(config, surroundings)
    : remoteTransport(config, (url) => surroundings.logins.silently(url));
}

type ConnectOptions = Pick<ServerContext, "version" | "cwd" | "timeouts"> & {
  signal: AbortSignal;
  onToolsChanged(): void;
  onClose(): void;
};

/** Connects. Rejects when the server does not answer in time; the transport is closed then. */
export async function openConnection(
  transport: Transport,
  { version, cwd, timeouts: { connect: timeout }, signal, onToolsChanged, onClose }: ConnectOptions,
): Promise<Client> {
  const client = new Client(
    { name: "mini-claude", version },
    {
      capabilities: { roots: {} },
      // Asking first which protocol a server speaks: a process that knows only the older one may hang.
      versionNegotiation: {
        mode: transport instanceof StreamableHTTPClientTransport ? "auto" : "legacy",
      },
      listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: "project" }],
  }));
  client.onclose = onClose;
  // The client checks neither while it negotiates the protocol and reports that it is ready.
  const ended = Promise.withResolvers<never>();
  const late = AbortSignal.timeout(timeout);
  const end = AbortSignal.any([signal, late]);
  const stop = (): void =>
    ended.reject(
      late.aborted ? new Error(`It did not answer within ${timeout / 1_000} seconds.`) : end.reason,
    );
  end.addEventListener("abort", stop);
  if (end.aborted) stop();
  try {
    await Promise.race([client.connect(transport, { timeout, signal }), ended.promise]);
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
}

/** A server that restarted knows nothing of the session, and has done nothing that was asked. */
export const isSessionGone = (error: unknown): boolean =>
  error instanceof SdkHttpError &&
  (error.status === 404 || (error.status === 400 && noSession.test(error.message)));

/** Servers made with the official library refuse the request like this, instead of with 404. */
const noSession =
  /(?:no valid|invalid|unknown|missing|expired) (?:mcp[ -])?session|session (?:id )?(?:not found|expired|is invalid)/i;

/** The server wants the user to log in. */
export const needsLogin = (error: unknown): boolean =>
  error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);

/** A longer message ends the connection. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 1_000;

/** How long the rest of its output is waited for after it has ended, in milliseconds. */
const lastWordsMs = 200;

/** A process in a group of its own, which ends with all that it started. */
class StdioTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #config: Extract<ServerConfig, { type: "stdio" }>;
  readonly #surroundings: Surroundings;
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  #process: ChildProcessWithoutNullStreams | null = null;
  #closing: Promise<void> | null = null;

  constructor(config: Extract<ServerConfig, { type: "stdio" }>, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
  }

  /** Rejects when the command cannot be run. */
  async start(): Promise<void> {
    const { cwd, env, launch, onStderr } = this.#surroundings;
    const words = [this.#config.command, ...this.#config.args];
    const isOurs = words.some((word) => !word.startsWith("-") && isFileIn(cwd, word));
    const how =
      launch && isOurs
        ? await launch(words, { cwd, env, write: true })
        : { command: words, cwd, env };
    const [command = "", ...args] = how.command;
    const started = Promise.withResolvers<void>();
    const own = { ...how.env, ...this.#config.env };
    const child = spawn(command, args, { cwd: how.cwd, env: own, ...leadsGroup });
    child.on("spawn", () => {
      this.#process = child;
      started.resolve();
    });
    child.on("error", started.reject);
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => {
      // Keys and timers get their turn, however much a server writes.
      child.stdout.pause();
      this.#read(chunk);
      setImmediate(() => child.stdout.resume());
    });
    child.stdout.on("end", () => void this.close());
    // Its own children may hold the output open.
    child.on("exit", () => setTimeout(() => void this.close(), lastWordsMs));
    child.stderr.setEncoding("utf8").on("data", onStderr);
    return started.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process || this.#closing) throw new Error("The server is not running.");
    const written = Promise.withResolvers<void>();
    this.#process.stdin.write(serializeMessage(message), (error) =>
      error ? written.reject(error) : written.resolve(),
    );
    await written.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { pid } = this.#process ?? {};
    this.#process?.stdin.end();
    this.#process?.stdout.destroy();
    if (pid !== undefined) await endGroup(pid, graceMs);
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    const fits = attempt(() => {
      this.#buffer.append(chunk);
      return true;
    }, false);
    if (!fits) return void this.close();
    for (;;) {
      // A line that is not a message is left out: some servers log to their standard output.
      const message = attempt(() => this.#buffer.readMessage(), undefined);
      if (message === null) return;
      if (message) this.onmessage?.(message);
    }
  }
}

function isFileIn(folder: string, word: string): boolean {
  const path = resolve(folder, word);
  return path !== folder && holds(folder, path) && existsSync(path);
}
