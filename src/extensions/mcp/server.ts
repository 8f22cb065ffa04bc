/** One server: its connection, its lists of tools, resources and prompts, and calls. */

import {
  type Client,
  type ContentBlock,
  isSpecType,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { connectionAdvice } from "../../base/connection-faults.ts";
import { takeEnd } from "../../base/clip.ts";
import { terminalLine, toTerminal } from "../../base/escape-terminal.ts";
import { isRecord } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import { ToolError } from "../../tools/tool.ts";
import { type Lists, readLists } from "./listing.ts";
import { type ServerConfig, expandConfig } from "./config.ts";
import type { ServerContext } from "./connection.ts";

/** Where a server is configured. */
export type Scope = "user" | "project" | "local" | "flag";

/**
 * "waiting": not connected yet. "unapproved": of the project, and the user has not approved it.
 * "login": it wants the user to log in first.
 */
export type ServerState =
  "waiting" | "connecting" | "connected" | "failed" | "unapproved" | "login" | "closed";

export type ServerSetup = {
  name: string;
  scope: Scope;
  config: ServerConfig;
  isApproved: boolean;
};

/** How much of the error output is kept: characters, and lines to show. */
const stderrChars = 4_000;
const stderrLines = 20;

export class Server {
  readonly name: string;
  readonly scope: Scope;
  readonly config: ServerConfig;
  state: ServerState;
  /** Its lists when it was last connected. */
  lists: Lists = { tools: [], prompts: [], resources: [], instructions: "", problems: [] };
  readonly #context: ServerContext;
  /** Handed in by the program that started us. */
  #transport: Transport | null = null;
  #client: Client | null = null;
  #stderr = "";
  /** Why it is not connected. */
  #failure: string | null = null;
  #connecting: Promise<void> | null = null;
  #stop = new AbortController();

  constructor({ name, scope, config, isApproved }: ServerSetup, context: ServerContext) {
    this.name = name;
    this.scope = scope;
    this.config = config;
    this.state = isApproved ? "waiting" : "unapproved";
    this.#context = context;
  }

  /** Why the server is not connected, or which listed items were rejected. */
  get problems(): readonly string[] {
    return this.#failure === null ? this.lists.problems : [this.#failure];
  }

  /** The last lines of its error output. */
  get stderr(): string[] {
    const text = toTerminal(this.#stderr).trimEnd();
    return text === "" ? [] : text.split("\n").slice(-stderrLines);
  }

  /** Allows the server of a project. */
  approve(): Promise<void> {
    if (this.state === "unapproved") this.#set("waiting");
    return this.connect();
  }

  /** Never rejects. `transport`: of the program that started us. */
  connect(transport = this.#transport): Promise<void> {
    this.#transport = transport;
    const isDone = this.state === "connected" || this.state === "unapproved";
    if (isDone || this.#stop.signal.aborted) return Promise.resolve();
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  /** Closes the connection and opens it again. */
  async reconnect(): Promise<void> {
    await this.#connecting;
    await this.#disconnect();
    await this.connect();
  }

  /** Looks the tool up once the server is connected. Rejects with a `ToolError`. */
  async callTool(
    name: string,
    input: Record<string, unknown>,
    { signal, progress }: { signal: AbortSignal; progress(words: string): void },
  ): Promise<CallResult> {
    const { call: timeout } = this.#context.timeouts;
    return this.#ask(signal, (client) => {
      const tool = this.lists.tools.find(({ definition }) => definition.name === name);
      if (!tool) throw new ToolError(`The MCP server ${this.name} has no tool ${name}.`);
      const { remote, renamed } = tool;
      const given = Object.entries(input).map(([key, value]) => [renamed.get(key) ?? key, value]);
      return client.request(
        { method: "tools/call", params: { name: remote, arguments: Object.fromEntries(given) } },
        callResult,
        {
          signal,
          timeout,
          resetTimeoutOnProgress: true,
          onprogress: ({ progress: done, total, message = "" }) => {
            const count = total === undefined ? `${done}` : `${done} of ${total}`;
            progress(terminalLine(`${count} ${message}`, messageChars));
          },
        },
      );
    });
  }

  /** Rejects with a `ToolError`. */
  readResource(uri: string, signal: AbortSignal) {
    const options = { signal, timeout: this.#context.timeouts.connect };
    return this.#ask(signal, (client) => client.readResource({ uri }, options));
  }

  /** `words`: the arguments as the user typed them. Rejects with a `ToolError`. */
  getPrompt(name: string, words: string, signal: AbortSignal) {
    const options = { signal, timeout: this.#context.timeouts.connect };
    return this.#ask(signal, (client) => {
      const prompt = this.lists.prompts.find((listed) => listed.name === name);
      if (!prompt) throw new ToolError(`The MCP server ${this.name} has no prompt ${name}.`);
      const named = assignArguments(prompt.arguments, words);
      return client.getPrompt({ name, arguments: named }, options);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#connecting;
    await this.#disconnect();
    this.#set("closed");
  }

  async #connect(): Promise<void> {
    const context = this.#context;
    this.#set("connecting");
    this.#stderr = "";
    const own = await import("./connection.ts");
    try {
      const config = expandConfig(this.config, context.env);
      const onStderr = (text: string): void => {
        this.#stderr = takeEnd(this.#stderr + text, stderrChars);
      };
      const transport = this.#transport ?? own.transportFor(config, { ...context, onStderr });
      const client = await own.openConnection(transport, {
        ...context,
        signal: this.#stop.signal,
        onToolsChanged: () => void this.#refresh(),
        onClose: () => this.#lost(),
      });
      this.#client = client;
      this.lists = await this.#readLists(client);
      this.#set("connected");
    } catch (error) {
      const state = own.needsLogin(error) ? "login" : "failed";
      const [last = ""] = this.stderr.slice(-1);
      const output = last && ` Last error output: ${last}`;
      const why = state === "login" ? this.#howToLogIn : toSentence(error) + output;
      await this.#disconnect();
      // A session that ends has nothing to report.
      if (!this.#stop.signal.aborted) this.#set(state, why);
    }
  }

  #readLists(client: Client): Promise<Lists> {
    const { connect } = this.#context.timeouts;
    return readLists(this.name, client, { timeout: connect, signal: this.#stop.signal });
  }

  async #refresh(): Promise<void> {
    if (!this.#client || this.state !== "connected") return;
    this.lists = await this.#readLists(this.#client).catch(() => this.lists);
    this.#context.onChange();
  }

  /** The connection ended by itself. The next call opens it again. */
  #lost(): void {
    if (this.state !== "connected") return;
    const last = this.stderr.at(-1);
    this.#client = null;
    this.#set("failed", `The connection was closed${last ? `: ${last}` : ""}.`);
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    if (this.state === "connected") this.state = "waiting";
    await client?.close().catch(() => undefined);
  }

  /** Waits for the connection. Rejects after a failure or a timeout. */
  async #ready(signal: AbortSignal): Promise<Client> {
    const late = AbortSignal.any([signal, AbortSignal.timeout(this.#context.timeouts.wait)]);
    const waited = Promise.withResolvers<void>();
    late.addEventListener("abort", () => waited.resolve(), { once: true });
    if (late.aborted) waited.resolve();
    await Promise.race([this.connect(), waited.promise]);
    if (this.#client && this.state === "connected") return this.#client;
    throw this.#unavailable();
  }

  #unavailable(): ToolError {
    const why = this.state === "connecting" ? "It is still connecting." : this.problems.join(" ");
    return new ToolError(`The MCP server ${this.name} is not available. ${why}`.trim());
  }

  get #howToLogIn(): string {
    return `Log in with: mini-claude mcp login ${this.name}`;
  }

  /** Asks once more over a new connection where the server has lost the session. */
  async #ask<T>(signal: AbortSignal, ask: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#ready(signal);
    try {
      return await ask(client).catch(async (error: unknown) => {
        const { isSessionGone, needsLogin } = await import("./connection.ts");
        if (needsLogin(error) && this.#client === client) {
          await this.#disconnect();
          this.#set("login", this.#howToLogIn);
        }
        if (needsLogin(error)) throw this.#unavailable();
        if (!isSessionGone(error)) throw error;
        await this.#disconnect();
        return ask(await this.#ready(signal));
      });
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError(`The MCP server ${this.name} failed: ${toSentence(error)}`);
    }
  }

  #set(state: ServerState, failure: string | null = null): void {
    this.state = state;
    this.#failure = failure;
    this.#context.onChange();
  }
}

/** Content that cannot be read is named in its place: the client would reject the whole result for it. */
const callResult = z.object({
  content: z
    .unknown()
    .optional()
    .transform((given) => [given ?? []].flat().map(toContent)),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export type CallResult = z.infer<typeof callResult>;

function toContent(block: unknown): ContentBlock {
  if (isSpecType.ContentBlock(block)) return block;
  const { type = "" } = isRecord(block) ? block : {};
  const named = terminalLine(typeof type === "string" ? type : "", 40) || "unknown";
  return { type: "text", text: `[Content of type “${named}” was left out: it cannot be read.]` };
}

/** Characters of a server's message about a call. */
const messageChars = 300;

/** An error as a sentence. */
function toSentence(error: unknown): string {
  const words = terminalLine(errorMessage(error), messageChars);
  const sentence = /[.!?]$/.test(words) ? words : `${words}.`;
  return [sentence, connectionAdvice(error) ?? ""].join(" ").trim();
}

/** In the order of the prompt's arguments; the last one takes all words that are left. */
function assignArguments(listed: readonly { name: string }[], words: string) {
  const given = words.split(/\s+/).filter((word) => word !== "");
  const last = listed.length - 1;
  const values = [...given.slice(0, last), given.slice(last).join(" ")];
  return Object.fromEntries(
    listed.flatMap(({ name }, at) => (values[at] ? [[name, values[at]]] : [])),
  );
}
