import { expect, test } from "bun:test";
import { detectLocalServers } from "../../src/model/network.ts";

/** Answers by port; all other ports refuse the connection. */
const machine =
  (ports: Record<string, () => Promise<Response>>) =>
  (url: string | URL | Request): Promise<Response> => {
    const answer = ports[new URL(String(url)).port];
    return answer === undefined ? Promise.reject(new Error("refused")) : answer();
  };

const models =
  (...ids: string[]) =>
  () =>
    Promise.resolve(Response.json({ data: ids.map((id) => ({ id })) }));

test("finds the servers that answer with models", async () => {
  const fetch = machine({ "11434": models("qwen3:8b", "llama3"), "8080": models("local.gguf") });
  expect(await detectLocalServers({ fetch })).toEqual([
    { name: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["qwen3:8b", "llama3"] },
    { name: "llama.cpp", baseUrl: "http://localhost:8080/v1", models: ["local.gguf"] },
  ]);
});

test("ignores other programs on these ports", async () => {
  const fetch = machine({
    "11434": () => Promise.resolve(new Response("<html>")),
    "1234": () => Promise.resolve(new Response("no", { status: 500 })),
    "8080": models(),
  });
  expect(await detectLocalServers({ fetch })).toEqual([]);
});

test("does not wait for a server that hangs", async () => {
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("too late")));
    });
  expect(await detectLocalServers({ fetch, timeoutMs: 1 })).toEqual([]);
});
