import type { PrintOptions } from "../../print/print.ts";
import type { Command } from "../../protocol/command.ts";
import type { Client } from "./client.ts";

/** Who answers the agent's questions: the client if it offered to, else nobody. */
export function approverFor(
  client: Client | null,
  send: (command: Command) => void,
): PrintOptions["approve"] {
  const { channel, options } = client ?? {};
  if (!channel || options?.flags.headless.permissionPromptTool === undefined) return denyAll;
  return async (ask, call, signal) => {
    const { canUseTool, failedDecision, readDecision } =
      await import("../../control/permission.ts");
    const { answer, mode, interrupts } = await channel
      .request(canUseTool(ask, call), signal)
      .then(readDecision, failedDecision);
    // Without the call, its input was not shown.
    if (!call && answer.allow) delete answer.input;
    if (mode) send({ type: "mode", mode });
    if (interrupts) send({ type: "stop" });
    return answer;
  };
}

const denyAll: PrintOptions["approve"] = async () => ({ allow: false, reason: denial });

const denial =
  "Nobody can approve this without a terminal. Start with --permission-mode accept-edits or bypass to allow it.";
