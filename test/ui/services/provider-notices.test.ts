import { expect, test } from "bun:test";
import { providerNotices } from "../../../src/ui/services/provider-notices.ts";

test("without a server, names the ways to a real model", () => {
  const [offline, hint, ...more] = providerNotices([]);
  expect(offline).toContain("not a language model");
  for (const way of ["/connect", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
    expect(hint).toContain(way);
  expect(more).toEqual([]);
});

test("names each local server with its first model and how to use it", () => {
  const notices = providerNotices([
    { name: "Ollama", baseUrl: "http://localhost:1/v1", models: ["a", "b"] },
    { name: "LM Studio", baseUrl: "http://localhost:2/v1", models: ["c"] },
  ]);
  expect(notices).toHaveLength(3);
  expect(notices[1]).toBe(
    "Ollama is running here with a: switch with /connect, or start with OPENAI_BASE_URL=http://localhost:1/v1 mini-claude --model a",
  );
  expect(notices[2]).toStartWith("LM Studio is running here with c: ");
});
