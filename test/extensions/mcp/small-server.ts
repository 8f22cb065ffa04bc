/**
 * A small MCP server without any library: JSON-RPC requests in, responses out. It is run over standard
 * input and output by `stdio-server.ts`, and over HTTP by `http-server.ts`.
 */

import { z } from "zod";

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});

type Params = { [key: string]: unknown };
export type Outgoing = { jsonrpc: "2.0"; [key: string]: unknown };

const object = (properties: Params = {}) => ({ type: "object", properties });

/** An image of one pixel. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const tools = [
  {
    name: "echo",
    description: "Says what it is told.",
    inputSchema: object({ text: { type: "string" } }),
    annotations: { readOnlyHint: true },
  },
  { name: "env", description: "Its environment.", inputSchema: object() },
  { name: "mixed", description: "Every kind of content.", inputSchema: object() },
  { name: "structured", description: "Structured only.", inputSchema: object() },
  { name: "grow", description: "Adds a tool.", inputSchema: object() },
  { name: "fail", description: "Fails.", inputSchema: object() },
  { name: "hang", description: "Never answers.", inputSchema: object() },
  { name: "die", description: "Ends the server.", inputSchema: object() },
  { name: "evil", description: "Hides \u001b[2Jthings\u202e.", inputSchema: object() },
  { name: "huge", description: "x", inputSchema: object({ a: { const: "x".repeat(30_000) } }) },
];

const results: Record<string, object> = {
  mixed: {
    content: [
      { type: "text", text: "words \u001b[31mred\u001b[0m" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "note://b", name: "b", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "note://a", text: "inside" } },
      { type: "video", data: "AAAA" },
      { type: "image" },
    ],
  },
  structured: { content: [{ type: "text", text: " " }], structuredContent: { answer: 42 } },
  fail: { content: [{ type: "text", text: "It is broken." }], isError: true },
};

export class SmallServer {
  readonly #die: () => void;
  #grown = false;

  constructor(die = (): void => undefined) {
    this.#die = die;
  }

  /** The messages that answer one. */
  handle(json: unknown): Outgoing[] {
    const { id, method, params = {} } = message.parse(json);
    if (id === undefined || method === undefined) return [];
    const result = this.#answer(method, params);
    if (result === "never") return [];
    if (result === null)
      return [{ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }];
    const grew = method === "tools/call" && params["name"] === "grow";
    const news = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const;
    return [{ jsonrpc: "2.0", id, result }, ...(grew ? [news] : [])];
  }

  #answer(method: string, params: Params): object | "never" | null {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: "2025-06-18",
          capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
          serverInfo: { name: "small", version: "1.0.0" },
          instructions: "Use it sparingly.",
        };
      case "ping":
        return {};
      case "tools/list":
        return {
          tools: [
            ...tools,
            ...(this.#grown ? [{ name: "grown", description: "New.", inputSchema: object() }] : []),
          ],
        };
      case "tools/call":
        return this.#call(String(params["name"]), z.looseObject({}).parse(params["arguments"]));
      case "prompts/list":
        return {
          prompts: [{ name: "greet", description: "A greeting.", arguments: [{ name: "who" }] }],
        };
      case "prompts/get": {
        const { who = "world" } = z
          .looseObject({ who: z.string().optional() })
          .parse(params["arguments"]);
        const content = { type: "text", text: `Greet ${who}.` };
        return { messages: [{ role: "user", content }] };
      }
      case "resources/list":
        return { resources: [{ uri: "note://a", name: "a", mimeType: "text/plain" }] };
      case "resources/read":
        return { contents: [{ uri: String(params["uri"]), text: "the note" }] };
      default:
        return null;
    }
  }

  #call(name: string, input: Params): object | "never" | null {
    switch (name) {
      case "echo":
        return { content: [{ type: "text", text: String(input["text"]) }] };
      case "env":
        return { content: [{ type: "text", text: JSON.stringify(process.env) }] };
      case "grow":
        this.#grown = true;
        return { content: [{ type: "text", text: "grown" }] };
      case "hang":
        return "never";
      case "die":
        this.#die();
        return "never";
      default:
        return results[name] ?? null;
    }
  }
}
