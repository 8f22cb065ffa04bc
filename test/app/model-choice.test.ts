/** Which model a start requests, seen by a server that records its requests. */

import { afterAll, expect, test } from "bun:test";
import { z } from "zod";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("model-choice"));
const asked: { model: string; url: string }[] = [];
const body = z.looseObject({ model: z.string() });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const parsed = body.safeParse(await request.json().catch(() => null));
    const url = new URL(request.url).pathname;
    // The size of a request is asked for beside it.
    if (parsed.success && parsed.data["messages"] !== undefined && !url.endsWith("/count_tokens"))
      asked.push({ model: parsed.data.model, url });
    return Response.json(
      { error: { type: "invalid_request_error", message: "no" } },
      { status: 400 },
    );
  },
});
afterAll(async () => {
  server.stop(true);
  await box.remove();
});

const anthropic = {
  ANTHROPIC_API_KEY: "sk-test",
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`,
};

async function modelAsked(args: string[], env: Record<string, string> = anthropic) {
  asked.length = 0;
  await box.run(["-p", ...args, "hello"], { env });
  return asked.at(-1);
}

test("a resumed session keeps its model, unless --model asks for another", async () => {
  expect((await modelAsked([]))?.model).toBe("claude-sonnet-5-5");
  expect((await modelAsked(["--continue", "--model", "claude-opus-5-5"]))?.model).toBe(
    "claude-opus-5-5",
  );
  expect((await modelAsked(["--continue"]))?.model).toBe("claude-opus-5-5");
  const env = { ...anthropic, ANTHROPIC_MODEL: "claude-haiku-5-5" };
  expect((await modelAsked(["--continue"], env))?.model).toBe("claude-opus-5-5");
  expect((await modelAsked([], env))?.model).toBe("claude-haiku-5-5");
});

test("a session that the offline model began continues with the configured one", async () => {
  await box.run(["-p", "--offline", "what can you do?"]);
  expect((await modelAsked(["--continue"]))?.model).toBe("claude-sonnet-5-5");
});

test("each provider is asked in its own protocol", async () => {
  expect((await modelAsked([]))?.url).toBe("/v1/messages");
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` };
  expect(await modelAsked(["--model", "qwen"], env)).toEqual({
    model: "qwen",
    url: "/v1/chat/completions",
  });
});
