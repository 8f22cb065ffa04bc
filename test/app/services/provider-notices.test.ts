import { expect, test } from "bun:test";
import { providerNotice } from "../../../src/app/services/providers.ts";

test("without a server, names the ways to a real model", () => {
  const notice = providerNotice([]);
  expect(notice).toContain("not a language model");
  for (const way of ["/connect", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
    expect(notice).toContain(way);
});

test("names each local server with its first model and how to use it", () => {
  const notice = providerNotice([
    { name: "Ollama", baseUrl: "http://localhost:1/v1", models: ["a", "b"] },
    { name: "LM Studio", baseUrl: "http://localhost:2/v1", models: ["c"] },
  ]);
  expect(notice).toEndWith("Running here: Ollama (a) and LM Studio (c); /connect switches.");
});
