/** `/mcp` and the map of the context, in the real program. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { call, say, startFakeApi } from "../../fake-api/index.ts";
import { idle, program } from "../../ui/program.ts";
import { stdioServer } from "./open-hub.ts";

const on = await program("mcp-panel");
const api = startFakeApi();
const env = {
  ANTHROPIC_BASE_URL: api.url,
  ANTHROPIC_API_KEY: "test",
  MINI_CLAUDE_MCP_TOOL_SHARE: "0",
};
await Bun.write(
  join(on.folder, ".mcp.json"),
  JSON.stringify({
    mcpServers: { small: stdioServer(), dead: { command: "/nonexistent/server" } },
  }),
);
afterAll(async () => {
  await on.remove();
  await api.stop();
});

test("a server is approved, called with approval, and its share is shown", async () => {
  const pty = await on.open({ env, rows: 36 });
  await pty.waitFor("MCP servers of this project need your approval: small, dead");
  await pty.type("/mcp\r");
  await pty.waitFor(/small +unapproved +Enter to review/);
  await pty.press("enter");
  const shown = await pty.waitFor("a approve");
  // A long path is wrapped.
  expect(shown.replaceAll(/\s+/g, "")).toContain("stdio-server.ts");
  await pty.type("a");
  await pty.waitFor("connected, project");
  await pty.press("escape");
  await pty.waitFor(/small +connected +9 tools, 0 sent/);
  await pty.press("down");
  await pty.press("enter");
  await pty.waitFor("/nonexistent/server");
  await pty.type("a");
  await pty.waitFor("failed, project");
  await pty.waitFor("MCP server dead: ENOENT");
  await pty.press("escape");
  await pty.waitFor(/dead +failed/);
  await pty.press("escape");

  api.next(
    { content: [call("ToolSearch", { query: "select:mcp__small__echo" })] },
    { content: [call("mcp__small__echo", { text: "hello there" })] },
    say("Said it."),
  );
  await pty.waitFor((now) => !now.includes("── MCP") && idle.test(now));
  await pty.type("say hello\r");
  const asked = await pty.waitFor("❯ Allow once");
  expect(asked).toContain("MCP server small: echo");
  await pty.type("y");
  await pty.waitFor("Said it.");

  await pty.type("/mcp\r");
  await pty.waitFor(
    /small +connected +9 tools, 1 sent: \d+ tokens \+ \d+ of results, 0\.\d+ ¢ a call/,
  );
  await pty.press("enter");
  const details = await pty.waitFor(/mcp__small__echo +Says what it is told/);
  expect(details).toContain("small server is here");
  await pty.press("escape");
  await pty.waitFor("Enter details");
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("── MCP") && idle.test(now));
  await pty.type("/context\r");
  await pty.waitFor(/1×  MCP server small/);
  await pty.close();
});
