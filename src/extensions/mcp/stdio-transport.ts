/**
 * A server as a child process that speaks JSON-RPC on its standard input and output. It leads a
 * process group of its own, so that closing it ends what it started, too.
 */

import { parseJSONRPCMessage, serializeMessage } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { endGroup } from "../../tools/shell/process-group.ts";
import { attempt, errorOf, isRecord, parseJson } from "../../base/guards.ts";
import { takeEnd } from "../../base/clip.ts";

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

/** Messages that a server may leave unread. */
const maxUnsent = 100;

/** The longest time that keys and timers wait, in milliseconds, however much a server writes. */
const busyMs = 10;

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  /** Pieces of an incomplete line. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #process: Bun.Subprocess<"pipe", "pipe", "pipe"> | null = null;
  #stderr = "";
  #unsent = 0;
  #closing: Promise<void> | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** The end of what it wrote to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Throws when the command cannot be run. */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#options;
    const child = Bun.spawn([command, ...args], {
      cwd,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    this.#process = child;
    const output = this.#read(child.stdout);
    this.#keep(child.stderr).catch(() => undefined);
    // What it leaves running may hold its output open.
    const ended = child.exited.then(() => Promise.race([output, Bun.sleep(lastWordsMs)]));
    void Promise.race([output, ended]).then(() => this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process || this.#closing) throw new Error("The server is not running.");
    this.#unsent++;
    try {
      await this.#process.stdin.write(serializeMessage(message));
      await this.#process.stdin.flush();
    } finally {
      this.#unsent--;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#process) {
      await Promise.resolve(this.#process.stdin.end()).catch(() => undefined);
      await endGroup(this.#process.pid, graceMs);
    }
    this.onclose?.();
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    let pausedMs = performance.now();
    try {
      for await (const chunk of output)
        for (const line of this.#linesIn(chunk)) {
          this.#deliver(line);
          if (performance.now() - pausedMs < busyMs) continue;
          await this.#pause();
          if (this.#closing) return;
          pausedMs = performance.now();
        }
    } catch (error) {
      this.onerror?.(errorOf(error));
      void this.close();
    }
  }

  /** A server that asks without end is not listened to while it does not read the answers. */
  async #pause(): Promise<void> {
    await nextTurn();
    while (this.#unsent > maxUnsent && !this.#closing) await Bun.sleep(busyMs);
  }

  *#linesIn(chunk: Uint8Array): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#pieces.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#pieces).toString();
      this.#pieces = [];
      from = end + 1;
      yield line;
    }
    this.#pieces.push(chunk.subarray(from));
    this.#bytes = (from === 0 ? this.#bytes : 0) + chunk.length - from;
    if (this.#bytes > maxMessageBytes)
      throw new Error(`It sent a message of more than ${maxMessageBytes} bytes.`);
  }

  /** A line that is not a message is left out: some servers log to their standard output. */
  #deliver(line: string): void {
    const json = parseJson(line.trim());
    // Several messages may come as a list.
    for (const one of Array.isArray(json) && json.length > 0 ? json : [json]) {
      const message = attempt(() => parseJSONRPCMessage(one), null) ?? refusalOf(one);
      try {
        if (message) this.onmessage?.(message);
        else if (line.trim() !== "") throw new Error(`It sent what is no message: ${line}`);
      } catch (error) {
        this.onerror?.(errorOf(error));
      }
    }
  }

  async #keep(output: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      this.#stderr = takeEnd(this.#stderr + decoder.decode(chunk, { stream: true }), stderrChars);
      await nextTurn();
    }
  }
}

/** An answer in the wrong form ends the call, which would wait for another one. */
function refusalOf(json: unknown): JSONRPCMessage | null {
  if (!isRecord(json) || "method" in json || typeof json["id"] !== "number") return null;
  const error = { code: -32_600, message: "Its answer does not follow JSON-RPC." };
  return { jsonrpc: "2.0", id: json["id"], error };
}
