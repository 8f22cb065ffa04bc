import { expect, test } from "bun:test";
import { createModelClient } from "../../src/model/provider.ts";
import { FakeApi, say } from "../fake-api/index.ts";
import { requestOf, run } from "./calls.ts";

test.each([
  [{ provider: "anthropic", apiKey: "k" }, "anthropic"],
  [
    { provider: "anthropic", authToken: "t", baseUrl: "https://gate.example/v1/" },
    "anthropic https://gate.example",
  ],
  [{ provider: "openai", baseUrl: "http://localhost:11434" }, "openai http://localhost:11434/v1"],
  [{ provider: "openai", baseUrl: "https://me:secret@host/api/v3/" }, "openai https://host/api/v3"],
] as const)("%j is shown as %s", async (choice, label) => {
  expect((await createModelClient(choice)).label).toBe(label);
});

test("refuses Anthropic without a key, with a clear message", () => {
  expect(createModelClient({ provider: "anthropic" })).rejects.toThrow("ANTHROPIC_API_KEY");
});

test("refuses an invalid address, with a clear message", () => {
  for (const baseUrl of ["not an address", "file:///etc"])
    expect(createModelClient({ provider: "openai", baseUrl })).rejects.toThrow(`"${baseUrl}`);
});

test("a gateway under a path is reached under that path", async () => {
  const api = new FakeApi();
  api.next(say("ok"));
  const seen: string[] = [];
  const client = await createModelClient(
    { provider: "anthropic", apiKey: "k", baseUrl: "https://gate.example/claude" },
    {
      fetch: (url, init) => {
        seen.push(String(url));
        return api.fetch(String(url).replace("/claude", ""), init);
      },
    },
  );
  expect((await run(client, requestOf())).error).toBeNull();
  expect(seen).toEqual(["https://gate.example/claude/v1/messages"]);
});
