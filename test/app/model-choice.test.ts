/** Which model a start requests, seen by a server that records its requests. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("model-choice"));
const asked: { model: string; url: string; key: string | null }[] = [];
const keyOf = (headers: Headers): string | null =>
  headers.get("authorization")?.replace("Bearer ", "") ?? headers.get("x-api-key");
const body = z.looseObject({ model: z.string() });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const parsed = body.safeParse(await request.json().catch(() => null));
    const url = new URL(request.url).pathname;
    // The size of a request is asked for beside it.
    if (
      parsed.success &&
      ("messages" in parsed.data || "input" in parsed.data) &&
      !url.endsWith("/count_tokens")
    )
      asked.push({ model: parsed.data.model, url, key: keyOf(request.headers) });
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

test("a model of the file gets the key that the file names and no other; a pasted key is trimmed", async () => {
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const lab = { baseUrl, keyName: "MINI_CLAUDE_LAB_KEY" };
  const models = {
    chat: lab,
    responses: { ...lab, api: "responses" },
    messages: { ...lab, api: "messages", baseUrl: baseUrl.replace("/v1", "") },
    open: { baseUrl: baseUrl.replace("/v1", ""), api: "messages" },
  };
  await Bun.write(join(box.home, "models.json"), JSON.stringify({ models }));
  const env = { ...anthropic, MINI_CLAUDE_LAB_KEY: " l\n" };
  const found = async (model: string) => {
    const { url, key } = (await modelAsked(["--model", model], env)) ?? {};
    return [url, key];
  };
  expect(await found("chat")).toEqual(["/v1/chat/completions", "l"]);
  expect(await found("responses")).toEqual(["/v1/responses", "l"]);
  expect(await found("messages")).toEqual(["/v1/messages", "l"]);
  expect(await found("open")).toEqual(["/v1/messages", "none"]);
});
