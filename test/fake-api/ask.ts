/** Sends requests to a fake without a client, so that a test can send what no client would. */

import { z } from "zod";
import type { FakeApi } from "./fake-api.ts";
import type { ApiBlock } from "./schema.ts";

export const model = "claude-sonnet-5-5";

const message = z.looseObject({
  content: z.array(z.custom<ApiBlock>()),
  stop_reason: z.string(),
  usage: z.record(z.string(), z.unknown()),
  input_transformations: z.array(z.record(z.string(), z.unknown())).optional(),
});

const failure = z.object({
  type: z.literal("error"),
  error: z.looseObject({ type: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type Reply =
  | ({ status: 200 } & z.infer<typeof message>)
  | { status: number; type: string; message: string; details: unknown };

export async function post(
  api: FakeApi,
  body: unknown,
  more: { betas?: string[]; headers?: Record<string, string>; path?: string } = {},
): Promise<Response> {
  return api.fetch(`http://fake${more.path ?? "/v1/messages"}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      ...(more.betas && { "anthropic-beta": more.betas.join(",") }),
      ...more.headers,
    },
  });
}

/** A request with defaults for everything that the test is not about. */
export async function ask(
  api: FakeApi,
  body: object,
  more: { betas?: string[]; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await post(api, { model, max_tokens: 1_000, ...body }, more);
  const json: unknown = await response.json();
  if (response.ok) return { status: 200, ...message.parse(json) };
  const { error } = failure.parse(json);
  return {
    status: response.status,
    type: error.type,
    message: error.message,
    details: error["details"],
  };
}

/** Throws when the request was refused. */
export async function accept(
  api: FakeApi,
  body: object,
  more: { betas?: string[] } = {},
): Promise<Extract<Reply, { status: 200; content: unknown }>> {
  const reply = await ask(api, body, more);
  if (!("content" in reply)) throw new Error(`refused: ${reply.message}`);
  return reply;
}

/** The message of the refusal, or null when there was none. */
export async function refusal(
  api: FakeApi,
  body: object,
  more: { betas?: string[] } = {},
): Promise<string | null> {
  const reply = await ask(api, body, more);
  return "content" in reply ? null : reply.message;
}

export const text = (text: string, mark?: object) => ({
  type: "text",
  text,
  ...(mark && { cache_control: mark }),
});
const saidBy =
  (role: "user" | "assistant") =>
  (...content: (string | object)[]) => ({
    role,
    content: content.map((block) => (typeof block === "string" ? text(block) : block)),
  });
export const user = saidBy("user");
export const assistant = saidBy("assistant");
export const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
export const result = (id: string, content: string | object[] = "fine") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
export const tools = [{ name: "read", description: "Reads.", input_schema: { type: "object" } }];
