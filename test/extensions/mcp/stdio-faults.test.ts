/** Servers on standard input and output that write what they should not, or end in odd ways. */

import { afterEach, expect, test } from "bun:test";
import {
  closeHubs,
  connected,
  runTool,
  setup,
  shellServer,
  stdioServer,
  textOf,
} from "./open-hub.ts";

afterEach(closeHubs);

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
  const hub = await connected([setup("odd", stdioServer())]);
  expect(await textOf(hub, "mcp__odd__hang", { raw })).toBe("here");
});

test("a server that ended fails its call, though what it started still holds its output", async () => {
  const { command, args } = stdioServer();
  const hub = await connected([
    setup("odd", shellServer(`sleep 1000 & exec ${command} ${args[0]}`)),
  ]);
  await expect(runTool(hub, "mcp__odd__die")).rejects.toThrow("Connection closed.");
});

test.each([
  ["closed its output", "read line; exec 1>&-; sleep 1000"],
  ["writes a line without end", "yes | tr -d '\\n' | head -c 17000000; sleep 1000"],
])("a server that %s can answer no more", async (_, script) => {
  const hub = await connected([setup("odd", shellServer(script))]);
  expect(hub.servers[0]?.state).toBe("failed");
});
