/**
 * A server as a child process that speaks JSON-RPC on its standard input and output. The official
 * transport ends only the process itself; here it leads a group, and what it started ends with it.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { takeEnd } from "../../base/clip.ts";
import { errorOf } from "../../base/guards.ts";
import { endGroup } from "../../tools/shell/process-group.ts";

type StdioOptions = {
  command: string;
  args: string[];
  cwd: string;
  /** All of its environment. */
  env: Record<string, string>;
};

/** A longer message ends the connection. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** Characters of the error output that are kept. */
const stderrChars = 8_000;

/** Time to end by itself, in milliseconds, before it is killed. */
const graceMs = 1_000;

/** How long the rest of its output is waited for after it has ended, in milliseconds. */
const lastWordsMs = 200;

export class StdioTransport implements Transport {
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
  start(): Promise<void> {
    const { command, args, cwd, env } = this.#options;
    const started = Promise.withResolvers<void>();
    const child = spawn(command, args, { cwd, env, detached: true });
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
    // What it leaves running may hold its output open.
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
      this.onerror?.(errorOf(error));
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
        this.onerror?.(errorOf(error));
      }
    }
  }
}
