/** Answers the questions of a run: by its client, by a tool, or not at all. */

import { blockText } from "../protocol/block.ts";
import type { Answer, AgentCommand } from "../protocol/command.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { shellQuote } from "../base/shell-quote.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { ControlChannel } from "./control/channel.ts";
import type { Decision } from "./control/permission.ts";

/** Answers a question of the agent. The signal fires when it is withdrawn. */
export type Approve = (ask: Ask, signal: AbortSignal) => Promise<Answer>;

/** Passes on the events of an unattended run, and answers the questions among them. Throwing is a denial. */
export async function* answering(
  events: AsyncGenerator<AgentEvent, void>,
  send: (command: AgentCommand) => void,
  approve: Approve,
): AsyncGenerator<AgentEvent, void> {
  const open = new Map<string, AbortController>();
  const answer = async (ask: Ask): Promise<void> => {
    const withdrawn = new AbortController();
    open.set(ask.id, withdrawn);
    const denial: Answer = { allow: false };
    send({
      type: "answer",
      id: ask.id,
      answer: await approve(ask, withdrawn.signal).catch(() => denial),
    });
  };
  for await (const event of events) {
    yield event;
    if (event.type === "ask") void answer(event.ask);
    if (event.type === "asked") {
      open.get(event.id)?.abort();
      open.delete(event.id);
    }
  }
}

type Decide = (ask: Ask, signal: AbortSignal) => Promise<Decision>;

type RunSources = {
  /** Value of `--permission-prompt-tool`. */
  tool: string | undefined;
  channel: ControlChannel | null;
  toolbox: Pick<ToolRunner, "run">;
  send(command: AgentCommand): void;
  /** The start allowed this client to turn approvals off. */
  mayBypass?: boolean;
};

export function approverFor({
  tool,
  channel,
  toolbox,
  send,
  mayBypass = false,
}: RunSources): Approve {
  if (tool === undefined) return denyAll;
  const decide = tool === "stdio" ? channel && byClient(channel) : byTool(tool, toolbox);
  if (!decide) return denyAll;
  return async (ask, signal) => {
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
  (name: string, toolbox: RunSources["toolbox"]): Decide =>
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
    const text = blockText(content);
    if (isError) return failedDecision(new Error(text));
    try {
      return readDecision(JSON.parse(text));
    } catch (error) {
      return failedDecision(error);
    }
  };

/** Mode accept-edits allows the changes of files that a session rule could allow. */
const sufficientMode = ({ detailKind, rule }: Ask): PermissionMode =>
  detailKind === "diff" && rule !== null ? "accept-edits" : "bypass";

const denyAll: Approve = async (ask) => ({
  allow: false,
  reason:
    "No one can approve calls in this run. Do what needs no approval and report the rest. " +
    `For this call to be allowed, the user has to start with ${ask.always ? `--allowedTools ${shellQuote(ask.always.rule)}, or ` : ""}--permission-mode ${sufficientMode(ask)}.`,
  isResult: true,
});
