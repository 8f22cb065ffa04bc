/** The client at the other end of standard input, as a run sees it. */

import { ControlChannel } from "./control/channel.ts";
import { type Initialize, readInitialize } from "./control/initialize.ts";
import { hookEvents, isForSubagents, parseOutput } from "../extensions/hooks/output.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { toCommand } from "./print/print.ts";
import { printMessage, writeError } from "./print/output.ts";
import type { HeadlessRun } from "./headless-run.ts";
import { answerRequest } from "./requests.ts";
import type { JSONRPCMessage, parseJSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { attempt } from "../base/guards.ts";

/** Longest time that the client's own MCP servers are waited for, in milliseconds. */
const serversMs = 5_000;

/** The client: its options from before the first message, and its connection to a run. */
export async function openClient() {
  const channel = new ControlChannel({
    input: Bun.stdin.stream(),
    print: printMessage,
    warn: (sentence) => writeError(`mini-claude: ${sentence}\n`),
  });
  const servers = new Map<string, ClientTransport>();
  const first = await channel.initialize;
  const initialize = readInitialize(first);
  return {
    channel,
    initialize,
    addHooks: (hooks: HookRegistry, isSubagent: boolean): void =>
      registerClientHooks(hooks, channel, initialize.hooks, isSubagent),
    /** Connects the MCP servers that run in the client, so that the first `init` names their tools. */
    async connectServers(hub: Hub | null): Promise<void> {
      for (const { name, config } of hub?.servers ?? []) {
        if (config.type !== "sdk") continue;
        const transport = new ClientTransport(name, channel);
        servers.set(name, transport);
        void hub?.connect(name, transport);
      }
      if (servers.size > 0) await hub?.settled(serversMs);
    },
    /** Hands its messages and requests to the run. */
    serve(opened: HeadlessRun): void {
      const { jobs } = opened;
      channel.serve({
        user: ({ message, uuid }) =>
          jobs.push({ command: toCommand(message.content, uuid ?? undefined) }),
        async request(request) {
          if (request.subtype === "initialize" && request !== first)
            throw new Error("initialize must be the first message: its options were not applied.");
          return answerRequest(request, opened, servers);
        },
        end: () => jobs.close(),
      });
    },
  };
}

/** Registers the hooks that run in the client. Events that do not exist here are left out. */
function registerClientHooks(
  hooks: HookRegistry,
  channel: ControlChannel,
  wanted: Initialize["hooks"],
  isSubagent: boolean,
): void {
  for (const { event: name, matcher, callbackId, timeoutMs } of wanted) {
    const event = hookEvents.find((known) => known === name);
    if (!event || (isSubagent && !isForSubagents(event))) continue;
    hooks.register(
      event,
      matcher,
      async (input, { signal }) => {
        const id = "tool_use_id" in input ? { tool_use_id: input.tool_use_id } : {};
        const request = { subtype: "hook_callback", callback_id: callbackId, input, ...id };
        const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
        const response = await channel.request(request, AbortSignal.any([signal, ...limit]));
        return parseOutput(response) ?? {};
      },
      { source: "client", name: callbackId },
    );
  }
}

/** Carries the messages of an MCP server that runs in the client, as control requests. */
class ClientTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #server: string;
  readonly #channel: Pick<ControlChannel, "request">;
  #parse: typeof parseJSONRPCMessage | undefined;

  constructor(server: string, channel: Pick<ControlChannel, "request">) {
    this.#server = server;
    this.#channel = channel;
  }

  async start(): Promise<void> {
    this.#parse = (await import("@modelcontextprotocol/client")).parseJSONRPCMessage;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const request = { subtype: "mcp_message", server_name: this.#server, message };
    const { mcp_response: answer } = await this.#channel.request(request);
    // Notifications are answered too; the answer does not matter.
    if ("method" in message && "id" in message) this.receive(answer);
  }

  /** A message from the server. Anything that is not JSON-RPC is ignored. */
  receive(message: unknown): void {
    const parsed = attempt(() => this.#parse?.(message), undefined);
    if (parsed) this.onmessage?.(parsed);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
