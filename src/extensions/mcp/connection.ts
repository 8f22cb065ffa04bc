/** Connections to servers, with the official client. Loaded when the first server is connected. */

import {
  type AuthProvider,
  Client,
  type JSONRPCMessage,
  type OAuthClientProvider,
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
import type { Launch } from "../launch.ts";
import type { ServerConfig } from "./config.ts";
import type { LoginStore } from "./logins.ts";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { takeEnd } from "../../base/clip.ts";
import { toError } from "../../base/guards.ts";
import { leadsGroup } from "../../base/signals.ts";
import { endGroup } from "../../tools/shell/process-group.ts";

// The client prints warnings, some with a server's words in them. The screen and the output of -p are
// not for them, and nothing of this program uses the console.
console.warn = console.debug = (): void => undefined;

type ServerSurroundings = {
  cwd: string;
  /** The environment of a child process, without keys. */
  env: Record<string, string>;
  logins: LoginStore;
  /** How a program that lies in the workspace is started. */
  launch?: Launch | undefined;
};

type ConnectOptions = {
  /** The version of this program. */
  version: string;
  /** The root folder that the server may ask for. */
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  onToolsChanged(): void;
  onClose(): void;
};

export type RemoteConfig = Extract<ServerConfig, { url: string }>;

/** The transport for a configuration. Throws when the address is not one. */
export function transportFor(
  config: ServerConfig,
  { cwd, env, logins, launch }: ServerSurroundings,
): Transport {
  if (config.type === "sdk") throw new Error("No program provides it.");
  if (config.type !== "stdio") return remoteTransport(config, (url) => logins.silently(url));
  const { command, args, env: own } = config;
  return new StdioTransport({
    words: [command, ...args],
    cwd,
    env,
    own: own ?? {},
    launch: launch && isInFolder([command, ...args], cwd) ? launch : null,
  });
}

export function remoteTransport(
  config: RemoteConfig,
  auth: (url: string) => AuthProvider | OAuthClientProvider,
  fetch?: McpFetch,
): StreamableHTTPClientTransport {
  const url = parseServerAddress(config);
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers: config.headers },
    authProvider: auth(url.href),
    ...(fetch && { fetch }),
  });
}

export function parseServerAddress({ url }: RemoteConfig): URL {
  const address = URL.parse(url);
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new Error("Its address must look like https://example.com/mcp.");
}

/** Connects. Rejects when the server does not answer in time; the transport is closed then. */
export async function openConnection(
  transport: Transport,
  { version, cwd, timeoutMs, signal, onToolsChanged, onClose }: ConnectOptions,
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
  const seconds = timeoutMs / 1_000;
  const late = new Error(`It did not answer within ${seconds} seconds.`);
  const timer = setTimeout(() => ended.reject(late), timeoutMs);
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    await Promise.race([client.connect(transport, { timeout: timeoutMs, signal }), ended.promise]);
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The end of a child process's error output; empty for other servers. */
export const readStderr = (transport: Transport): string =>
  transport instanceof StdioTransport ? transport.stderr : "";

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

export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Whether the program, or a file that it is given to run, lies in the folder. */
const isInFolder = (words: readonly string[], cwd: string): boolean =>
  words.some((word) => !word.startsWith("-") && holdsFile(cwd, resolve(cwd, word)));

const holdsFile = (folder: string, path: string): boolean =>
  path !== folder && holds(folder, path) && existsSync(path);

type StdioOptions = {
  words: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Variables of its own, which may be secret. */
  own: Record<string, string>;
  /** Null: as the user would start it. */
  launch: Launch | null;
};

/** A longer message ends the connection. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Characters of the error output that are kept. */
const stderrChars = 8_000;

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 1_000;

/** How long the rest of its output is waited for after it has ended, in milliseconds. */
const lastWordsMs = 200;

class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  #process: ChildProcessWithoutNullStreams | null = null;
  #stderr = "";
  #closing: Promise<void> | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** The end of what it wrote to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Rejects when the command cannot be run. */
  async start(): Promise<void> {
    const { words, launch, own, cwd, env } = this.#options;
    const how = launch
      ? await launch(words, { cwd, env, write: true })
      : { command: words, cwd, env };
    const [command = "", ...args] = how.command;
    const started = Promise.withResolvers<void>();
    const child = spawn(command, args, {
      cwd: how.cwd,
      env: { ...how.env, ...own },
      ...leadsGroup,
    });
    child.on("spawn", () => {
      this.#process = child;
      started.resolve();
    });
    child.on("error", started.reject);
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => {
      // Keys and timers get their turn, however much a server writes.
      child.stdout.pause();
      this.#read(chunk);
      setImmediate(() => child.stdout.resume());
    });
    child.stdout.on("end", () => void this.close());
    // Its own children may hold the output open.
    child.on("exit", () => setTimeout(() => void this.close(), lastWordsMs));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = takeEnd(this.#stderr + text, stderrChars);
    });
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
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(toError(error));
      void this.close();
      return;
    }
    // A line that is not a message is left out: some servers log to their standard output.
    for (let isMore = true; isMore;) {
      try {
        const message = this.#buffer.readMessage();
        isMore = message !== null;
        if (message) this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(toError(error));
      }
    }
  }
}
