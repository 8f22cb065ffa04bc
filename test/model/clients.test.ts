/** How base URLs and keys of both kinds of server are used. */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";

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
