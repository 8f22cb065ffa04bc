/**
 * The end of a stream that arrives shortly after the answer: the connection can then be used for
 * the next call.
 */

import { afterAll, expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { FakeClock } from "../fake-api/index.ts";
import { buildRequest, run, saysWords, toStream } from "./calls.ts";
import { chat, chunk, event } from "./chat-server.ts";

const words = chunk({ content: "words" }, "stop");

const kinds = {
  anthropic: { create: createAnthropicClient, answer: toStream(saysWords) },
  openai: { create: createOpenAiClient, answer: chat(words) },
};

const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));

/** A server that ends its streams with `end`. */
async function serve(answer: string, end: (response: ServerResponse) => void) {
  const seen = { connections: 0 };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(answer);
      end(response);
    });
  });
  server.on("connection", () => void seen.connections++);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  stops.push(() => server.closeAllConnections());
  stops.push(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("It has no port.");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

test.each(Object.entries(kinds))("%s: one connection serves several calls", async (_, kind) => {
  const late = (response: ServerResponse) => void setTimeout(() => response.end(), 5);
  const { url, seen } = await serve(kind.answer, late);
  const client = kind.create({ apiKey: "k", baseUrl: url, clock: new FakeClock() });
  for (let call = 0; call < 3; call++)
    expect((await run(client, buildRequest())).blocks).toMatchObject([{ text: "words" }]);
  expect(seen.connections).toBe(1);
});

test.each(Object.entries(kinds))(
  "%s: a stream that does not end is not waited for",
  async (_, kind) => {
    const { url } = await serve(kind.answer, () => undefined);
    const clock = new FakeClock();
    const client = kind.create({ apiKey: "k", baseUrl: url, clock });
    const ticking = setInterval(() => clock.advance(100), 5);
    const { blocks, error } = await run(client, buildRequest());
    clearInterval(ticking);
    expect([blocks.length, error]).toEqual([1, null]);
  },
);

test("a stream that has reported its usage is awaited only briefly", async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const { url } = await serve(event({ ...words, usage }), () => undefined);
  // Only the timer of the short wait fires.
  const after = (ms: number, fire: () => void) => {
    const timer = ms < 1_000 ? setTimeout(fire, 0) : undefined;
    return () => clearTimeout(timer);
  };
  const clock = { now: () => 0, random: () => 0, after };
  const { blocks, error } = await run(createOpenAiClient({ baseUrl: url, clock }), buildRequest());
  expect([blocks.length, error]).toEqual([1, null]);
});
