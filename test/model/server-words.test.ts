/** What servers say about a model, and whether a retry may help. */

import { expect, test } from "bun:test";
import { discoverWindow, askModelsApi } from "../../src/model/rules.ts";

const none = () => new Response("", { status: 404 });

/** A server with these answers, by path. */
const server = (answers: Record<string, () => Response>) => ({
  baseUrl: "http://a.example",
  headers: {},
  fetch: async (url: string | URL | Request) =>
    (answers[new URL(url instanceof Request ? url.url : url).pathname] ?? none)(),
});

test.each([
  ["no such model", none, true],
  ["a busy server", () => new Response("", { status: 503 }), false],
  ["no JSON", () => new Response("<html>"), true],
  ["another JSON", () => Response.json({ max_tokens: "many" }), true],
  ["the model", () => Response.json({ id: "m" }), true],
])("the Models API answers with %s: it changes nothing", async (_, answer, certain) => {
  const found = await askModelsApi(server({ "/v1/models/m": answer }), "m");
  expect(found).toEqual({ changes: {}, takesBetas: false, certain });
});

test("the window of vLLM, and that of a model that LM Studio has loaded, does not change", async () => {
  const listed = (path: string, entry: object) =>
    discoverWindow(server({ [path]: () => Response.json({ data: [{ id: "m", ...entry }] }) }), "m");
  expect(await listed("/v1/models", { max_model_len: 40_000 })).toEqual({
    tokens: 40_000,
    certain: true,
  });
  const sizes = { loaded_context_length: 8_000, max_context_length: 90_000 };
  expect(await listed("/api/v0/models", sizes)).toEqual({ tokens: 8_000, certain: true });
  expect(await listed("/api/v0/models", { max_context_length: 90_000 })).toEqual({
    tokens: 90_000,
    certain: false,
  });
});

test.each<[string, Record<string, object>]>([
  ["LM Studio", { "/api/v0/models": { data: [{ id: "other", loaded_context_length: 1 }] } }],
  ["vLLM", { "/v1/models": { data: [{ id: "other", max_model_len: 1 }, { id: "m" }] } }],
  ["Ollama", { "/api/ps": { models: [{ name: "m:8b", context_length: 1 }] } }],
  ["Ollama, running", { "/api/ps": { models: [{ name: "m" }] } }],
  ["Ollama, without sizes", { "/api/show": { model_info: { "a.size": 1 } } }],
])("%s does not say how large the window of this model is", async (_, answers) => {
  const found = Object.entries(answers).map(([path, body]) => [path, () => Response.json(body)]);
  expect(await discoverWindow(server(Object.fromEntries(found)), "m")).toBeNull();
});

test("a model that Ollama has not loaded gets a usual window, at most its own", async () => {
  const shown = (tokens: number) => ({
    "/api/show": () => Response.json({ model_info: { "llama.context_length": tokens } }),
  });
  const unsure = (tokens: number) => ({ tokens, certain: false });
  expect(await discoverWindow(server(shown(131_072)), "m")).toEqual(unsure(32_768));
  expect(await discoverWindow(server(shown(4_096)), "m")).toEqual(unsure(4_096));
});
