/** Who answers the agent's questions: the client, a tool of an MCP server, or nobody. */

import type { ControlChannel } from "./control/channel.ts";
import type { Decision } from "./control/permission.ts";
import { textOf } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { Ask } from "../protocol/event.ts";
import { shellQuote } from "../base/shell-quote.ts";
import type { Approve } from "./answering.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";

type Decide = (ask: Ask, signal: AbortSignal) => Promise<Decision>;

type Sources = {
  /** Value of `--permission-prompt-tool`. */
  tool: string | undefined;
  channel: ControlChannel | null;
  toolbox: Pick<ToolRunner, "run">;
  send(command: Command): void;
  /** The start allowed this client to turn approvals off. */
  mayBypass?: boolean;
};

export function approverFor({ tool, channel, toolbox, send, mayBypass = false }: Sources): Approve {
  if (tool === undefined) return denyAll;
  const decide = tool === "stdio" ? channel && byClient(channel) : byTool(tool, toolbox);
  if (!decide) return denyAll;
  return async (ask, signal) => {
    // A client can approve and answer questions, but not fill in a form.
    if (ask.form) return { allow: false };
    const { answer, mode, interrupts } = await decide(ask, signal);
    // A question without an input: there is none that the client could change.
    if (!ask.input && answer.allow) delete answer.input;
    if (mode && (mode !== "bypass" || mayBypass)) send({ type: "mode", mode });
    if (interrupts) send({ type: "stop" });
    return answer;
  };
}

const byClient =
  (channel: ControlChannel): Decide =>
  async (ask, signal) => {
    const { canUseTool, failedDecision, readDecision } = await import("./control/permission.ts");
    return channel.request(canUseTool(ask), signal).then(readDecision, failedDecision);
  };

/** The tool answers with the client's JSON, as text. */
const byTool =
  (name: string, toolbox: Sources["toolbox"]): Decide =>
  async (ask, signal) => {
    const { failedDecision, readDecision } = await import("./control/permission.ts");
    const input = { tool_name: ask.tool, input: ask.input ?? {}, tool_use_id: ask.toolUse };
    const { content, isError } = await toolbox.run(
      { type: "tool_use", id: `permission-${ask.id}`, name, input },
      {
        signal,
        progress: () => undefined,
        background: new Promise(() => undefined),
        ask: async () => ({ allow: false }),
      },
    );
    const text = textOf(content);
    if (isError) return failedDecision(new Error(text));
    try {
      return readDecision(JSON.parse(text));
    } catch (error) {
      return failedDecision(error);
    }
  };

const denyAll: Approve = async ({ always }) => ({
  allow: false,
  reason:
    "No one can approve calls in this run. Do what needs no approval and report the rest. " +
    `For this call to be allowed, the user has to start with ${always ? `--allowedTools ${shellQuote(always.rule)}, or ` : ""}--permission-mode bypass.`,
  isResult: true,
});
