/** Addresses in the forms in which people paste them, and what is learned after a 404. */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { buildRequest, run } from "./calls.ts";
import { chatServer, ok, refuse } from "./chat-server.ts";

/** Calls a server that knows one address only; returns which addresses were called. */
async function call(baseUrl: string, path: string, missing = "Not Found", status = 404) {
  const called: string[] = [];
  const { fetch } = chatServer((_, place) => {
    called.push(place);
    return place === path ? ok : refuse({ message: missing }, status);
  });
  const client = createOpenAiClient({ baseUrl, apiKey: "test-key", fetch });
  const first = await run(client, buildRequest({ model: "m" }));
  const second = await run(client, buildRequest({ model: "m" }));
  return { called, first, second };
}

test.each([
  ["http://h", "/v1/chat/completions"],
  ["http://h/v1/", "/v1/chat/completions"],
  ["http://h/v1/chat/completions", "/v1/chat/completions"],
  ["http://h/v1/models", "/v1/chat/completions"],
  ["https://models.github.ai/inference", "/inference/chat/completions"],
  [
    "https://h/openai/v1?api-version=2026-01-01",
    "/openai/v1/chat/completions?api-version=2026-01-01",
  ],
  [
    "https://h/openai/deployments/gpt/chat/completions?api-version=1",
    "/openai/deployments/gpt/chat/completions?api-version=1",
  ],
  ["https://h/v1beta/openai/", "/v1beta/openai/chat/completions"],
])("%s is called at %s", async (baseUrl, path) => {
  const { called, first } = await call(baseUrl, path);
  expect(first.error).toBeNull();
  expect(called).toEqual([path, path]);
});

test("an address that ends in the Responses API's call is called through that API", async () => {
  const { called } = await call("http://h/v1/responses", "/none");
  expect(called[0]).toBe("/v1/responses");
});

test.each([
  ["http://h", "/chat/completions", "/v1/chat/completions"],
  ["http://h/v1", "/chat/completions", "/v1/chat/completions"],
  ["http://h/proxy", "/proxy/v1/chat/completions", "/proxy/chat/completions"],
])("%s: after a 404 the other place is tried, and kept", async (baseUrl, path, before) => {
  for (const status of [404, 405]) {
    const { called, first, second } = await call(baseUrl, path, "Not Found", status);
    expect([first.error, second.error]).toEqual([null, null]);
    expect(called).toEqual([before, path, path]);
  }
});

test("a 404 names the address that was given, not the other place, without what is secret in it", async () => {
  const { first } = await call("https://me:pw@h/inference?key=1", "/none");
  const address = "https://h/inference/chat/completions";
  expect(first.error?.message).toContain(`There is no such address at ${address}`);
  expect(first.error?.message).not.toMatch(/pw|key=1/);
});

test.each(["model 'm' not found", "No endpoints found that support tool use."])(
  "%s: no reason to try another address",
  async (missing) => {
    const { called, first } = await call("http://h/v1", "/none", missing);
    expect(called).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    expect(first.error?.message).toContain("--model");
  },
);

test("the label names the server, and no secret", () => {
  expect(createAnthropicClient({ apiKey: "k" }).label).toBe("anthropic");
  const gate = { authToken: "t", baseUrl: "https://gate.example/v1/" };
  expect(createAnthropicClient(gate).label).toBe("anthropic https://gate.example");
  const findLabel = (baseUrl: string): string => createOpenAiClient({ baseUrl }).label;
  expect(findLabel("http://localhost:11434")).toBe("openai http://localhost:11434/v1");
  expect(findLabel("https://me:secret@host/api/v3/")).toBe("openai https://host/api/v3");
});

test("refuses an invalid address, with a clear message", () => {
  for (const baseUrl of ["localhost:11434", "file:///etc/passwd", "xhttp://a", "httpss://a", ""])
    expect(() => createOpenAiClient({ baseUrl })).toThrow(`"${baseUrl}" is not a server address`);
  expect(() => createOpenAiClient({ baseUrl: "x".repeat(201) })).toThrow(`"${"x".repeat(200)}"`);
});
