/**
 * The official Agent SDK drives mini-claude: `bun test/lab/bench/agent-sdk.ts` installs it into a temporary
 * folder, lets it talk to the program with a scripted model, and prints what it receives.
 */

import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../../bin.ts";
import { call, say, startFakeApi, type Answer } from "../../fake-api/index.ts";
import { scenarios } from "./agent-sdk/scenarios.ts";

const version = process.argv[2] ?? "0.3.330";
const root = await mkdtemp(join(tmpdir(), "agent-sdk-"));
const project = join(root, "project");
const api = startFakeApi({
  responder: ({ messages }) => answerTo(JSON.stringify(messages.at(-1))),
});

/** The model does what the last message says. */
function answerTo(message: string): Answer {
  if (message.includes("Write a summary"))
    return say(`<summary>${"They talked. ".repeat(20)}</summary>`);
  if (message.includes("AT LENGTH")) return say("word ".repeat(4_000));
  if (/"text":"MAKE d/.test(message)) return { content: [call("Bash", { command: "touch d" })] };
  const unescaped = message.replaceAll('\\"', '"');
  const [, tool, input = "{}"] = /CALL (\w+) (\{.*?\})(?=["\s]|\\n|$)/.exec(unescaped) ?? [];
  if (message.includes("tool_result")) return say("The call is done.");
  return tool === undefined ? say("Hello.") : { content: [call(tool, JSON.parse(input))] };
}

try {
  await mkdir(join(root, "home"));
  await mkdir(project);
  await Bun.write(join(project, "notes.txt"), "one\ntwo\n");
  await Bun.write(join(root, "package.json"), '{"type":"module"}');
  const install = ["bun", "add", "--ignore-scripts", "--omit=optional"];
  const sdk = `@anthropic-ai/claude-agent-sdk@${version}`;
  const installed = Bun.spawnSync([...install, sdk, "zod"], { cwd: root });
  if (installed.exitCode !== 0) throw new Error(installed.stderr.toString());
  const bin = await folderWithBun(root);
  await symlink(cli, join(bin, "mini-claude"));
  const module: unknown = await import(
    join(root, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs")
  );
  const options = {
    pathToClaudeCodeExecutable: join(bin, "mini-claude"),
    cwd: project,
    model: "sonnet",
    env: {
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      HOME: join(root, "home"),
      MINI_CLAUDE_HOME: join(root, "home", ".mini-claude"),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: "sk-ant-test-key-1234",
    },
    stderr: (text: string) => process.env["VERBOSE"] && console.error(text),
  };
  const { version: found } = await Bun.file(
    join(root, "node_modules", "@anthropic-ai", "claude-agent-sdk", "package.json"),
  ).json();
  console.log(`@anthropic-ai/claude-agent-sdk ${found}`);
  await scenarios(module, options, join(root, "node_modules", "zod"));
} finally {
  await api.stop();
  await rm(root, { recursive: true, force: true });
}
