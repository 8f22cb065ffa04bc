/**
 * The three reference MCP servers in one session: `bun test/lab/bench/mcp-servers.ts` installs them into a
 * temporary folder, has a scripted model find, load and call their tools, and prints what each request
 * took.
 */

import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { parseServers } from "../../../src/extensions/mcp/config.ts";
import { call, countTokens, say, startFakeApi, type AnswerBlock } from "../../fake-api/index.ts";
import { openHub, setup } from "../../extensions/mcp/open-hub.ts";
import { listEntries } from "./mcp-servers/entries.ts";

const box = await sandbox("mcp-servers");
const servers = ["everything", "filesystem", "memory"].map(
  (name) => `@modelcontextprotocol/server-${name}@2026.8.31`,
);
const program = (name: string): string =>
  join(box.root, "node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
const mcpConfig = JSON.stringify({
  mcpServers: {
    everything: { command: process.execPath, args: [program("everything")] },
    filesystem: { command: process.execPath, args: [program("filesystem"), "${PROJECT}"] },
    memory: {
      command: process.execPath,
      args: [program("memory")],
      env: { MEMORY_FILE_PATH: join(box.root, "memory.jsonl") },
    },
  },
});

const wait = call("ToolSearch", { query: "select:mcp__everything__x,mcp__filesystem__x" });

const calls: AnswerBlock[][] = [
  [
    call("mcp__everything__echo", { message: "hello" }),
    call("mcp__everything__get-tiny-image", {}),
    call("mcp__everything__get-structured-content", { location: "New York" }),
    call("mcp__everything__get-resource-links", { count: 2 }),
  ],
  [
    call("mcp__filesystem__read_text_file", { path: join(box.project, "notes.txt") }),
    call("mcp__filesystem__list_directory", { path: box.project }),
  ],
  [
    call("mcp__memory__create_entities", {
      entities: [{ name: "Ada", entityType: "person", observations: ["wrote the notes"] }],
    }),
    call("mcp__memory__read_graph", {}),
  ],
];

const names = [...new Set(calls.flat().flatMap((one) => ("name" in one ? [one.name] : [])))];
const load = call("ToolSearch", { query: `select:${names.join(",")}` });

async function session(): Promise<void> {
  const api = startFakeApi();
  api.next({ content: [wait] }, { content: [load] }, ...calls.map((content) => ({ content })));
  api.next(say("Done."), say("Still here."));
  const env = {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "sk-ant-test-key-1234",
    MINI_CLAUDE_MCP_TOOL_SHARE: "0",
    PROJECT: box.project,
  };
  const ask = (...args: string[]) =>
    box.run(["-p", "--output-format", "events", "--permission-mode", "bypass", ...args], { env });
  const first = await ask("--mcp-config", mcpConfig, "use every server");
  const second = await ask("-c", "--mcp-config", mcpConfig, "/everything:simple-prompt");
  console.log(`exit ${first.code} and ${second.code}, ${api.refusals.length} requests refused`);
  for (const entry of listEntries(first.out + second.out)) console.log(entry);
  await api.stop();
}

/** The tokens that the definitions of all their tools would take. */
async function definitionTokens(): Promise<number> {
  const { servers: configs } = parseServers(JSON.parse(mcpConfig), "the bench");
  const setups = [...configs].map(([name, config]) => setup(name, config));
  const hub = openHub(setups, { env: { ...box.env, PROJECT: box.project }, cwd: box.project });
  hub.start();
  await hub.settled(60_000);
  const definitions = hub.firstDefinitions(Infinity);
  await hub.close();
  return countTokens(JSON.stringify(definitions));
}

try {
  await Bun.write(join(box.project, "notes.txt"), "one\ntwo\n");
  await Bun.write(join(box.root, "package.json"), "{}");
  const install = Bun.spawnSync(["bun", "add", "--ignore-scripts", ...servers], { cwd: box.root });
  if (install.exitCode !== 0) throw new Error(install.stderr.toString());
  await session();
  console.log(`all definitions: ${await definitionTokens()} tokens`);
} finally {
  await box.remove();
}
