/** An unknown server that speaks the Messages API. */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { callCost } from "../../src/protocol/model.ts";
import { FakeApi } from "../fake-api/index.ts";
import { buildRequest, run } from "./calls.ts";

function open(pages: Record<string, unknown>) {
  const bodies: unknown[] = [];
  const headers: Headers[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url instanceof Request ? url.url : String(url));
    if (pathname === "/v1/messages") {
      bodies.push(JSON.parse(String(init?.body)));
      headers.push(new Headers(init?.headers));
      return Response.json({ error: { type: "api_error", message: "later" } }, { status: 500 });
    }
    const page = pages[pathname];
    return page === undefined ? new Response("", { status: 404 }) : Response.json(page);
  };
  const access = { apiKey: "none", baseUrl: "http://127.0.0.1:8080", fetch };
  return { bodies, headers, client: createAnthropicClient(access) };
}

test.each([
  ["llama.cpp", { "/props": { default_generation_settings: { n_ctx: 16_384 } } }, 16_384],
  ["its Models API", { "/v1/models/qwen3-coder": { max_input_tokens: 50_000 } }, 50_000],
  ["nothing", {}, 32_768],
])("the window comes from %s", async (_, pages, windowTokens) => {
  const { client } = open(pages);
  const rules = await client.rules("qwen3-coder");
  expect(rules).toMatchObject({ windowTokens, compacts: false, caches: false });
  expect(rules.outputTokens).toBeLessThanOrEqual(windowTokens / 4);
  expect(callCost({ input: 9, cacheRead: 9, cacheWrite: 9, output: 9 }, rules.prices)).toBe(0);
});

test("neither betas nor thinking options are sent to it", async () => {
  const { client, bodies, headers } = open({});
  await client.rules("qwen3-coder");
  const wants = { model: "qwen3-coder", dropStaleThinking: true };
  await run(client, buildRequest({ ...wants, thinking: "adaptive" }));
  await run(client, buildRequest({ ...wants, thinking: "off" }));
  expect(bodies).toHaveLength(2);
  for (const body of bodies) expect(body).not.toHaveProperty("thinking");
  for (const sent of headers) expect(sent.get("anthropic-beta")).toBeNull();
});

test("a local server has its own window and costs nothing, even under a Claude name", async () => {
  const { client, bodies } = open({ "/props": { default_generation_settings: { n_ctx: 16_384 } } });
  const rules = await client.rules("claude-sonnet-5-5");
  expect(rules).toMatchObject({ windowTokens: 16_384, caches: false, thinking: "none" });
  expect(rules.prices).toMatchObject({ input: 0, output: 0 });
  await run(client, buildRequest({ model: "claude-sonnet-5-5", thinking: "off", effort: "high" }));
  expect(bodies[0]).not.toHaveProperty("thinking");
  expect(bodies[0]).not.toHaveProperty("output_config");
});

test("a gateway to Claude keeps the catalog but for what it reports, and its betas only if it announces them", async () => {
  const silent = open({ "/v1/models/claude-sonnet-5-5": { max_input_tokens: 200_000 } });
  const rules = await silent.client.rules("claude-sonnet-5-5");
  expect(rules).toMatchObject({
    windowTokens: 200_000,
    compacts: false,
    thinking: "bound",
    refusesStaleThinking: true,
  });
  await run(silent.client, buildRequest({ dropStaleThinking: true }));
  expect(silent.headers[0]?.get("anthropic-beta")).toBeNull();

  const capabilities = { thinking: { supported: false } };
  const plain = open({ "/v1/models/claude-sonnet-5-5": { capabilities } });
  expect((await plain.client.rules("claude-sonnet-5-5")).thinking).toBe("none");

  const api = new FakeApi();
  const access = { apiKey: "k", baseUrl: "http://fake", fetch: api.fetch };
  const announcing = createAnthropicClient(access);
  const announced = await announcing.rules("claude-sonnet-5-5");
  expect([announced.compacts, announced.refusesStaleThinking]).toEqual([true, undefined]);
});
