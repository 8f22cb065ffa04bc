/** `mini-claude mcp`, run as a program. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { stdioServer } from "../../extensions/mcp/open-hub.ts";

const box = inProcess(await sandbox("mcp-command"));
afterAll(box.remove);

const mcp = (...args: string[]) => box.run(["mcp", ...args]);

test("adds, lists, shows and removes a server", async () => {
  const { command, args } = stdioServer();
  const added = await mcp("add", "-s", "user", "-e", "KEY=secret", "small", "--", command, ...args);
  expect(added.code).toBe(0);
  const settings = await Bun.file(join(box.home, "settings.json")).json();
  expect(settings.mcpServers.small).toMatchObject({ command, args, env: { KEY: "secret" } });
  expect((await mcp("list")).out).toMatch(/^small \(user\): .* - connected, 10 tools\n$/);
  const shown = await mcp("get", "small");
  expect(shown.out).toContain("KEY=***");
  expect(shown.out).not.toContain("secret");
  expect((await mcp("remove", "small")).out).toContain("Removed small");
  expect((await mcp("list")).out).toContain("No MCP servers yet");
});

test("a server of the project is used once its folder is trusted and it is approved", async () => {
  await Bun.write(
    join(box.project, ".mcp.json"),
    JSON.stringify({ mcpServers: { small: stdioServer() } }),
  );
  expect((await mcp("list")).out).toContain("No MCP servers yet");
  await box.run(["trust"]);
  expect((await mcp("list")).out).toContain("small (project)");
  expect((await mcp("list")).out).toContain("unapproved");
  expect((await mcp("approve", "small")).out).toContain("Approved small");
  expect((await mcp("list")).out).toContain("connected");
  await Bun.write(
    join(box.project, ".mcp.json"),
    JSON.stringify({ mcpServers: { small: { command: "true" } } }),
  );
  expect((await mcp("list")).out).toContain("unapproved");
});

test("mistakes are explained", async () => {
  expect(await mcp("add", "a__b", "--", "true")).toMatchObject({ code: 2 });
  expect(await mcp("remove", "nothing")).toMatchObject({
    code: 1,
    err: "mini-claude: There is no MCP server nothing.\n",
  });
  expect((await mcp("frobnicate")).err).toContain("Unknown command mcp frobnicate");
});
