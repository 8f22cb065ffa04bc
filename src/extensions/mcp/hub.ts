/** All MCP servers of a session. The official client is loaded when the first one is connected. */

import type { Transport } from "@modelcontextprotocol/client";
import { defineTool } from "../../tools/accept.ts";
import type { ContextFact, Entry } from "../../protocol/entry.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import type { Tool } from "../../tools/tool.ts";
import { coversTool, parseRule } from "../../trust/rules/rule.ts";
import { announce, collectAttachments } from "./context.ts";
import type { ServerConfig } from "./config.ts";
import type { ServerContext } from "./connection.ts";
import { Server, type ServerSetup } from "./server.ts";
import { listResourcesTool, readResourceTool, serverTool, toolSearchTool } from "./tools.ts";

export type HubOptions = Omit<ServerContext, "onChange"> & {
  servers: readonly ServerSetup[];
  /** Deny rules: the tools that they name are not offered. */
  denied: readonly string[];
  /** The only tools that are offered; absent: all. */
  only?: readonly string[];
  /** Remembers that the user allowed a server of the project. */
  saveApproval(name: string, config: ServerConfig): void;
};

/** How long the first request waits for servers after they were started, in milliseconds. */
const readyMs = 500;

/** How long a search for tools waits for servers that are connecting, in milliseconds. */
const searchWaitMs = 5_000;

export class Hub {
  readonly servers: Server[];
  /** For the model, from the first request on. */
  readonly searchTool: Tool<unknown>;
  readonly #options: HubOptions;
  readonly #listeners = new Set<() => void>();
  #soon: Promise<void> | null = null;

  constructor(options: HubOptions, servers?: Server[]) {
    this.#options = options;
    const onChange = (): void => this.#listeners.forEach((listener) => listener());
    const context = { ...options, onChange };
    this.servers = servers ?? options.servers.map((setup) => new Server(setup, context));
    this.searchTool = toolSearchTool({
      tools: () => this.tools(),
      connecting: () => this.#in("connecting").map(({ name }) => name),
      settled: () => this.settled(searchWaitMs),
    });
  }

  /** A hub over the same servers that offers only these tools. */
  narrowed(only: readonly string[]): Hub {
    return new Hub({ ...this.#options, only }, this.servers);
  }

  /** Connects every server that may be used, in the background. */
  start(): void {
    for (const server of this.#in("waiting"))
      if (server.config.type !== "sdk") void server.connect();
    this.#soon ??= this.settled(readyMs);
  }

  /** Resolves when every server is connected or has failed, at the latest after `ms`. */
  async settled(ms: number): Promise<void> {
    const all = Promise.all(this.#in("connecting").map((server) => server.connect()));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, ms);
    await Promise.race([all, late.promise]);
    clearTimeout(timer);
  }

  /** Starts the servers; resolves soon, so that those which are quick are there from the start. */
  async ready(): Promise<void> {
    this.start();
    await this.#soon;
  }

  /** Connects a server of type "sdk" through a transport of the program that started us. */
  async connect(name: string, transport: Transport): Promise<void> {
    await this.server(name).connect(transport);
  }

  /** Throws when there is none of this name. */
  server(name: string): Server {
    const server = this.servers.find((known) => known.name === name);
    if (server) return server;
    throw new Error(`There is no MCP server ${name}.`);
  }

  /** Allows a server of the project, now and later. */
  async approve(name: string): Promise<void> {
    const server = this.server(name);
    this.#options.saveApproval(name, server.config);
    await server.approve();
  }

  /** Every tool that is known now. */
  tools(): Tool<unknown>[] {
    const tools: Tool<unknown>[] = this.servers.flatMap((server) =>
      server.lists.tools.map((tool) => serverTool(server, tool.definition.name, tool)),
    );
    const hasResources = this.servers.some(({ lists }) => lists.resources.length > 0);
    if (hasResources) tools.push(listResourcesTool(this.servers), readResourceTool(this.servers));
    return tools.filter(({ name }) => this.#offers(name));
  }

  findTool(name: string): Tool<unknown> | undefined {
    if (!this.#offers(name)) return undefined;
    const known = this.tools().find((tool) => tool.name === name);
    const server = this.servers.find((known) => name.startsWith(`mcp__${known.name}__`));
    return known ?? (server && serverTool(server, name));
  }

  /** Definitions for a session that begins; none when they are longer than `chars` together. */
  firstDefinitions(chars: number): ToolDefinition[] {
    const definitions = this.tools().map((tool) => defineTool(tool));
    return JSON.stringify(definitions).length <= chars ? definitions : [];
  }

  /** News for the model: servers, and the names of their tools. */
  announcements(path: readonly Entry[]): ContextFact[] {
    return announce(this.servers, path, (name) => this.#offers(name));
  }

  /** Resources that a message names, and the prompt that it begins with. */
  attachments(text: string, signal: AbortSignal): Promise<ContextFact[]> {
    return collectAttachments(text, this.servers, signal);
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports each server that cannot be connected, once, in a sentence. */
  reportFailures(report: (sentence: string) => void): () => void {
    const reported = new Set<Server>();
    return this.subscribe(() => {
      for (const server of [...this.#in("failed"), ...this.#in("login")]) {
        if (reported.has(server)) continue;
        reported.add(server);
        report(`MCP server ${server.name}: ${server.problems.join(" ")}`);
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }

  #offers(name: string): boolean {
    const { denied, only } = this.#options;
    return !isCovered(name, denied) && (!only || isCovered(name, only));
  }

  #in(state: Server["state"]): Server[] {
    return this.servers.filter((server) => server.state === state);
  }
}

/** Whether a rule is about every use of the tool. */
const isCovered = (name: string, rules: readonly string[]): boolean =>
  rules.map(parseRule).some((rule) => rule?.about === null && coversTool(rule, name));
