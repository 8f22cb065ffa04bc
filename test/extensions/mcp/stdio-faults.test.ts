/** Servers on standard input and output that write what they should not, or end in odd ways. */

import { afterEach, expect, test } from "bun:test";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import {
  openHub,
  runTool,
  setup,
  shellServer,
  stdioServer,
  textOf,
  type ServerConfig,
} from "./open-hub.ts";

const open: Hub[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((hub) => hub.close()))));

async function connected(config: ServerConfig) {
  const hub = openHub([setup("odd", config)]);
  open.push(hub);
  hub.start();
  await hub.settled(20_000);
  return hub;
}

const answer = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"here"}]}}';
const foreign = '{"jsonrpc":"2.0","id":999,"result":{"content":[]}}';
const nobodys = '{"jsonrpc":"2.0","result":{"content":[]}}';
const news = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

test.each([
  ["the answer to another call", `${foreign}\n${answer}\n`],
  ["an answer without an id", `${nobodys}\n${answer}\n`],
  ["what is no message", `\u0000\n[]\n5\nnull\n{}\n\n${answer}\n`],
  ["lines that end as on Windows", `\r\n${news}\r\n${answer}\r\n`],
])("a server that writes %s is understood", async (_, raw) => {
  const hub = await connected(stdioServer());
  expect(await textOf(hub, "mcp__odd__hang", { raw })).toBe("here");
});

test("a server that ended fails its call, though what it started still holds its output", async () => {
  const { command, args } = stdioServer();
  const hub = await connected(shellServer(`sleep 1000 & exec ${command} ${args[0]}`));
  await expect(runTool(hub, "mcp__odd__die")).rejects.toThrow("Connection closed.");
});

test("a server that closed its output can answer no more", async () => {
  const hub = await connected(shellServer("read line; exec 1>&-; sleep 1000"));
  expect(hub.servers[0]?.state).toBe("failed");
});
