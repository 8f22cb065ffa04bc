import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ControlChannel } from "./channel.ts";

/** Carries the messages of an MCP server that runs in the client, as control requests. */
export class ClientTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #server: string;
  readonly #channel: Pick<ControlChannel, "request">;

  constructor(server: string, channel: Pick<ControlChannel, "request">) {
    this.#server = server;
    this.#channel = channel;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    const request = { subtype: "mcp_message", server_name: this.#server, message };
    const { mcp_response: answer } = await this.#channel.request(request);
    // Notifications are answered too; the answer does not matter.
    if ("method" in message && "id" in message) this.receive(answer);
  }

  /** A message from the server. Anything that is not JSON-RPC is ignored. */
  receive(message: unknown): void {
    if (isMessage(message)) this.onmessage?.(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

const jsonrpc = z.literal("2.0");
const id = z.union([z.string(), z.number()]);
const envelope = z.union([
  z.looseObject({ jsonrpc, method: z.string() }),
  z.looseObject({ jsonrpc, id, result: z.record(z.string(), z.unknown()) }),
  z.looseObject({ jsonrpc, id, error: z.looseObject({ code: z.number(), message: z.string() }) }),
]);

const isMessage = (value: unknown): value is JSONRPCMessage => envelope.safeParse(value).success;
