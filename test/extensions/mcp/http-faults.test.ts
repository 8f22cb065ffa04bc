/** Servers over HTTP that send something other than the answer, or break the connection. */

import { afterEach, expect, spyOn, test } from "bun:test";
import { messageOf } from "../../../src/base/in-words.ts";
import { textOf } from "../../../src/protocol/block.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { startHttpServer } from "./http-server.ts";
import { openHub, runTool, setup } from "./open-hub.ts";
import { startSseServer } from "./sse-server.ts";

const open: { hub: Hub; http: { stop(): Promise<void> } }[] = [];
afterEach(async () => {
  for (const { hub, http } of open.splice(0)) {
    await hub.close();
    await http.stop();
  }
});

async function connected(options: Parameters<typeof startHttpServer>[0]): Promise<Hub> {
  const http = startHttpServer(options);
  const hub = openHub([setup("web", { type: "http", url: http.url, headers: {} })]);
  open.push({ hub, http });
  hub.start();
  await hub.settled(20_000);
  return hub;
}

const call = async (hub: Hub): Promise<string> =>
  textOf((await runTool(hub, "mcp__web__hang")).content);

const message = (more: object) => ({ jsonrpc: "2.0", ...more });
const resultOf = (words: string) => ({ result: { content: [{ type: "text", text: words }] } });
const json = (body: unknown) => Response.json(body);

const noAnswer = "Its response holds no answer to this request.";
const notJsonRpc = "Its answer does not follow JSON-RPC.";

test.each<[string, (id: number) => Response, string]>([
  ["no answer", () => json([]), noAnswer],
  ["the answer to another call", (id) => json(message({ id: id + 1, ...resultOf("x") })), noAnswer],
  ["a notification", () => json(message({ method: "notifications/tools/list_changed" })), noAnswer],
  ["an answer without an id", () => json(message(resultOf("x"))), noAnswer],
  ["something else", () => json("nothing"), noAnswer],
  ["half an answer", (id) => new Response(`{"id":${id},"resu`, { headers: jsonType }), noAnswer],
  ["only that it was accepted", () => new Response(null, { status: 202 }), noAnswer],
  ["an answer without a result", (id) => json(message({ id })), notJsonRpc],
  ["a result that is a text", (id) => json(message({ id, result: "x" })), notJsonRpc],
  [
    "an error without an id",
    () => json(message({ id: null, error: { code: -32_700, message: "I cannot read it" } })),
    "I cannot read it.",
  ],
])("a call that gets %s fails at once", async (_, answers, sentence) => {
  await expect(call(await connected({ answers }))).rejects.toThrow(
    `The MCP server web failed: ${sentence}`,
  );
});

const jsonType = { "content-type": "Application/JSON" };

test.each([200, 202])(
  "an answer may come beside other messages, with status %i",
  async (status) => {
    const changed = message({ method: "notifications/tools/list_changed" });
    const answers = (id: number) =>
      Response.json([changed, message({ id, ...resultOf("here") })], { status });
    expect(await call(await connected({ answers }))).toBe("here");
  },
);

/** A stream of events that ends. */
const events = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });

test("a call whose stream ends without an answer fails", async () => {
  await expect(call(await connected({ answers: () => events(": ping\n\n") }))).rejects.toThrow(
    "The MCP server web failed: The connection was closed before it answered.",
  );
});

const priming = "id: 1\ndata: \n\n";

test("a stream that breaks off is resumed after its last event, and the tool is called once", async () => {
  const calls: number[] = [];
  const resumed: string[] = [];
  const answers = (id: number): Response => {
    calls.push(id);
    return events(priming);
  };
  const streams = ({ headers }: Request): Response => {
    const last = headers.get("last-event-id");
    if (last === null) return new Response(null, { status: 405 });
    resumed.push(last);
    const answer = message({ id: calls[0], ...resultOf("resumed") });
    return events(`id: 2\ndata: ${JSON.stringify(answer)}\n\n`);
  };
  expect(await call(await connected({ answers, streams }))).toBe("resumed");
  expect(calls).toHaveLength(1);
  expect(resumed).toEqual(["1"]);
});

test("a stream that breaks off and cannot be resumed fails the call", async () => {
  await expect(call(await connected({ answers: () => events(priming) }))).rejects.toThrow(
    "The connection was closed before it answered.",
  );
});

test.each([
  ["at once", "0", 1_000],
  ["in three years", "99999999999", 30_000],
])("a server that wants its stream opened again %s has to be patient", async (_, retry, ms) => {
  const timers = spyOn(globalThis, "setTimeout");
  const answers = () => events(`retry: ${retry}\n${priming}`);
  const hub = await connected({ answers });
  timers.mockClear();
  const stop = new AbortController();
  const calling = runTool(hub, "mcp__web__hang", {}, stop.signal);
  while (!timers.mock.calls.some(([, delay]) => delay === ms)) await new Promise(setImmediate);
  timers.mockRestore();
  stop.abort();
  await expect(calling).rejects.toThrow();
});

test("a stream of all answers that breaks off fails the call; the next one opens it again", async () => {
  const sse = startSseServer();
  const hub = openHub([setup("web", { type: "sse", url: sse.url, headers: {} })]);
  open.push({ hub, http: sse });
  hub.start();
  await hub.settled(20_000);
  const calling = call(hub).catch(messageOf);
  while (!sse.isAsked()) await Bun.sleep(1);
  sse.drop();
  expect(await calling).toBe("The MCP server web failed: Connection closed.");
  const again = await runTool(hub, "mcp__web__echo", { text: "hi" });
  expect(textOf(again.content)).toBe("hi");
});
