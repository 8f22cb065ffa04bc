import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { ModelClient, WebSearch } from "../../src/model/client.ts";
import { callCost } from "../../src/protocol/model.ts";
import { FakeApi, say, type AnswerBlock } from "../fake-api/index.ts";

const never = new AbortController().signal;

function search(client: ModelClient, wanted: WebSearch) {
  if (!client.searchWeb) throw new Error("It cannot search.");
  return client.searchWeb(wanted, never);
}

function anthropic() {
  const api = new FakeApi();
  return { api, client: createAnthropicClient({ apiKey: "sk-ant-test", fetch: api.fetch }) };
}

const bun = { url: "https://bun.sh/blog", title: "Bun's blog" };
const node = { url: "https://nodejs.org", title: "Node" };

test("a search returns addresses and text, and is billed with its tokens", async () => {
  const { api, client } = anthropic();
  api.next({
    content: [
      { type: "search", query: "bun", found: [bun, node] },
      { type: "search", query: "bun news", found: [bun] },
      { type: "text", text: "Bun 2 is out." },
    ],
  });
  const found = await search(client, { query: "news about Bun", allowed_domains: ["bun.sh"] });
  expect(found).toMatchObject({
    results: [bun, node].map((one) => ({ ...one, age: null })),
    text: "Bun 2 is out.",
    error: null,
    model: "claude-haiku-5-5",
    usage: { webSearches: 2 },
  });
  expect(found.usage.input + found.usage.output).toBeGreaterThan(0);
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(callCost(found.usage, free)).toBeCloseTo(0.02);
  const { body } = api.requests.at(-1) ?? {};
  expect(body?.tools).toMatchObject([{ name: "web_search", allowed_domains: ["bun.sh"] }]);
  expect(JSON.stringify(body?.messages)).toContain("news about Bun");
});

test("an answer that pauses is continued from what it said, unchanged", async () => {
  const { api, client } = anthropic();
  api.next(
    { content: [{ type: "search", query: "a", found: [bun] }], stop: "pause_turn" },
    { content: [{ type: "search", query: "b", found: [node] }, say("Found.").content[0]!] },
  );
  const found = await search(client, { query: "runtimes" });
  expect(found.results.map(({ url }) => url)).toEqual([bun.url, node.url]);
  expect([found.text, found.usage.webSearches]).toEqual(["Found.", 2]);
  expect(api.refusals).toEqual([]);
});

test("a server that pauses forever is abandoned after a few calls", async () => {
  const { api, client } = anthropic();
  const content: AnswerBlock[] = [{ type: "search", query: "a", found: [bun] }];
  for (let call = 0; call < 9; call++) api.next({ content, stop: "pause_turn" });
  await search(client, { query: "anything" });
  expect(api.requests).toHaveLength(4);
});

test("failures are named; hostile text is cleaned or left out", async () => {
  const { api, client } = anthropic();
  const hostile = [
    { url: "javascript:alert(1)", title: "no" },
    { url: "https://a.example", title: `\u001b]0;x\u0007 ${"long ".repeat(100)}` },
  ];
  api.next({ content: [{ type: "search", query: "a", found: "too_many_requests" }] }, [
    { type: "search", query: "b", found: hostile },
    ...say("\u001b[31mred").content,
  ]);
  const failed = await search(client, { query: "a" });
  expect(failed).toMatchObject({ error: "too_many_requests", results: [], text: "" });
  const cleaned = await search(client, { query: "b" });
  expect(cleaned.results).toHaveLength(1);
  expect(cleaned.results[0]?.title.length).toBeLessThanOrEqual(200);
  expect(JSON.stringify(cleaned)).not.toContain("\\u001b");
});

test("a refusal is reported in a sentence; other servers are never asked", async () => {
  const { client } = anthropic();
  expect(
    search(client, { query: "x", allowed_domains: ["a.example"], blocked_domains: ["b.example"] }),
  ).rejects.toThrow("only one of");
  const other = createAnthropicClient({ apiKey: "k", baseUrl: "https://proxy.example" });
  expect(other.searchWeb).toBeUndefined();
});
