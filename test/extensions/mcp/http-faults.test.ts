/** Servers over HTTP that send something other than the answer, or break the connection. */

import { afterEach, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { startHttpServer } from "./http-server.ts";
import { openHub, runTool, setup } from "./open-hub.ts";

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
  blockText((await runTool(hub, "mcp__web__hang")).content);

const message = (more: object) => ({ jsonrpc: "2.0", ...more });
const makeResult = (words: string) => ({ result: { content: [{ type: "text", text: words }] } });

/** A stream of events that ends. */
const events = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });

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
    const answer = message({ id: calls[0], ...makeResult("resumed") });
    return events(`id: 2\ndata: ${JSON.stringify(answer)}\n\n`);
  };
  expect(await call(await connected({ answers, streams }))).toBe("resumed");
  expect(calls).toHaveLength(1);
  expect(resumed).toEqual(["1"]);
});
