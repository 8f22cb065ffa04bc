/** A server that announced betas and refuses one: the client omits it, and the session continues. */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { FakeApi, say } from "../fake-api/index.ts";
import { buildRequest, run } from "./calls.ts";

const model = "claude-sonnet-5-5";
const binding = "thinking-binding-controls-2026-08-01";

/** `sentence`: the server's message about the header of a call with betas. */
async function open(sentence: (betas: string) => string) {
  const api = new FakeApi();
  const sent: (string | null)[] = [];
  const client = createAnthropicClient({
    apiKey: "k",
    baseUrl: "http://gateway",
    fetch: (url, init) => {
      const betas = new Headers(init?.headers).get("anthropic-beta");
      if (!String(url).endsWith("/v1/messages")) return api.fetch(url, init);
      sent.push(betas);
      if (betas === null) return api.fetch(url, init);
      const error = { type: "invalid_request_error", message: sentence(betas) };
      return Promise.resolve(Response.json({ type: "error", error }, { status: 400 }));
    },
  });
  await client.rules(model);
  return { api, client, sent };
}

test.each([
  ["names", (betas: string) => `Unexpected value \`${betas}\` for the \`anthropic-beta\` header.`],
  ["does not name", () => "invalid beta flag"],
])(
  "a refusal that %s the beta: the call is made without it, and later ones too",
  async (_, says) => {
    const { api, client, sent } = await open(says);
    api.next(say("a"), say("b"));
    for (let call = 0; call < 2; call++)
      expect((await run(client, buildRequest({ dropStaleThinking: true }))).error).toBeNull();
    expect(sent).toEqual([binding, null, null]);
    expect(api.requests.at(-1)?.body?.thinking).not.toHaveProperty("block_binding");
  },
);

test("a summary that needs the beta fails, but not the calls after it", async () => {
  const { api, client, sent } = await open((betas) => `\`${betas}\` is no \`anthropic-beta\`.`);
  api.next(say("a"));
  const summary = await run(client, buildRequest({ compaction: { instructions: "Be short." } }));
  expect(summary.error?.kind).toBe("invalid");
  expect((await run(client, buildRequest())).error).toBeNull();
  expect(sent).toEqual(["compact-2026-09-04", null]);
});

test("of several betas, only the one that is named is left out", async () => {
  const compacting = "compact-2026-09-04";
  const { client, sent } = await open(() => `\`${binding}\` is no \`anthropic-beta\`.`);
  const compaction = { instructions: "Be short." };
  for (let call = 0; call < 2; call++)
    await run(client, buildRequest({ dropStaleThinking: true, compaction }));
  expect(sent[0]?.split(",").toSorted()).toEqual([compacting, binding]);
  expect(sent[1]).toBe(compacting);
});

test("another refusal of a call with betas does not count as a refusal of the beta", async () => {
  const { client, sent } = await open(() => "messages: text content blocks must be non-empty");
  for (let call = 0; call < 2; call++) await run(client, buildRequest({ dropStaleThinking: true }));
  expect(sent).toEqual([binding, binding]);
});

test.each([
  ["ttl", "system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted"],
  ['"thinking"', "thinking: Extra inputs are not permitted"],
  ['"adaptive"', "adaptive thinking is not supported on this model"],
  ["output_config", "output_config: Extra inputs are not permitted"],
  ["cache_control", "tools.0.cache_control: Extra inputs are not permitted"],
  ['"max_tokens":20000', "max_tokens: 20000 > 4096, which is the maximum allowed number of output"],
])("a server that refuses %s gets requests without it", async (refused, message) => {
  const sent: string[] = [];
  const client = createAnthropicClient({
    apiKey: "k",
    baseUrl: "http://gateway",
    fetch: async (_, init) => {
      const body = String(init?.body);
      sent.push(body);
      return body.includes(refused)
        ? Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 })
        : Response.json({ type: "message", content: [{ type: "text", text: "ok" }] });
    },
  });
  const mark = { type: "ephemeral", ttl: "1h" } as const;
  const system = [{ type: "text" as const, text: "Help.", cache_control: mark }];
  const thinks = { model, thinking: "adaptive", effort: "high" } as const;
  const request = buildRequest({ ...thinks, system, maxTokens: 20_000 });
  for (let call = 0; call < 2; call++) expect((await run(client, request)).error).toBeNull();
  expect(sent.map((body) => body.includes(refused))).toEqual([true, false, false]);
});
