/** A session with a subagent, a skill and an MCP server: each is named with its cost, on the screen and in JSON. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { stdioServer } from "../extensions/mcp/open-hub.ts";
import { call, say, type Answer, type ApiRequest } from "../fake-api/index.ts";
import { runInProcess } from "../in-process.ts";
import { idle, programWithApi } from "./program.ts";

const { on: box, env } = await programWithApi("costs", "key", { responder: answerTo });
const skill = "---\nname: tidy\ndescription: Tidies.\n---\nTidy up, and say so.\n";
await Bun.write(join(box.root, ".claude/skills/tidy/SKILL.md"), skill);

const servers = JSON.stringify({ mcpServers: { small: stdioServer() } });
const args = ["--strict-mcp-config", "--mcp-config", servers, "--allowedTools", "mcp__small__echo"];

function answerTo({ system, messages }: ApiRequest): Answer {
  if (JSON.stringify(system).includes("You work for another agent")) return say("I looked.");
  const steps = [
    call("Agent", { description: "look", prompt: "Look.", subagent_type: "Explore" }),
    call("Skill", { skill: "tidy" }),
    call("mcp__small__echo", { text: "hello ".repeat(1_000) }),
  ];
  const step = steps[messages.filter(({ role }) => role === "assistant").length];
  return step ? { content: [step] } : say("All done.");
}

test("/cost names a subagent, a server and a skill with their calls and costs", async () => {
  const pty = await box.open({ env, args, cols: 100 });
  await pty.send("go", "All done.");
  await pty.waitFor(idle);
  await pty.send("/cost", "Cost:");
  expect(pty.screen()).toMatch(/subagent Explore +1 call +\S+ +\$0\.\d+/);
  expect(pty.screen()).toMatch(/server small +1 call +\S+ +~\$0\.\d+/);
  expect(pty.screen()).toMatch(/skill tidy +1 call +\S+ +~\$0\.\d+/);
  await pty.press("escape", "ctrl+d");
  expect(await pty.exited).toBe(0);
});

test("with -p, JSON names them, too, and says what is an estimate", async () => {
  const prompt = ["-p", "--output-format=json", ...args, "go"];
  const { code, out } = await runInProcess({ env: box.env, project: box.folder }, prompt, { env });
  expect(code).toBe(0);
  const row = (name: string, is_estimate: boolean) =>
    z.tuple([
      z.object({
        name: z.literal(name),
        calls: z.literal(1),
        usd: z.number().positive(),
        is_estimate: z.literal(is_estimate),
      }),
    ]);
  const printed = z.object({
    total_cost_is_estimate: z.literal(false),
    costs: z.object({
      subagents: row("Explore", false),
      mcp_servers: row("small", true),
      skills: row("tidy", true),
    }),
  });
  printed.parse(JSON.parse(out));
});
