/** Sends requests to a fake without a client, so that a test can send what no client would. */

import { z } from "zod";
import type { FakeApi } from "./fake-api.ts";
import type { ApiBlock } from "./schema.ts";

export const model = "claude-sonnet-5-5";

const replied = z.looseObject({
  content: z.array(z.custom<ApiBlock>()).default([]),
  stop_reason: z.string().optional(),
  usage: z.record(z.string(), z.unknown()).default({}),
  input_transformations: z.array(z.record(z.string(), z.unknown())).optional(),
  error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
});

type More = { betas?: string[]; headers?: Record<string, string> };

export async function post(
  api: FakeApi,
  body: unknown,
  more: More & { path?: string } = {},
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
export async function ask(api: FakeApi, body: object, more: More = {}) {
  const response = await post(api, { model, max_tokens: 1_000, ...body }, more);
  return { status: response.status, ...replied.parse(await response.json()) };
}

/** Throws when the request was refused. */
export async function accept(api: FakeApi, body: object, more: More = {}) {
  const reply = await ask(api, body, more);
  if (reply.error) throw new Error(`refused: ${reply.error.message}`);
  return reply;
}

/** The message of the refusal, or null when there was none. */
export const refusal = async (api: FakeApi, body: object, more: More = {}) =>
  (await ask(api, body, more)).error?.message ?? null;

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
