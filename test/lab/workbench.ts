import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import { systemClock, type Clock } from "../../src/base/clock.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import { instantClock } from "../instant-clock.ts";
import { realAgent } from "./real-agent.ts";

type Options = {
  now?: () => number;
  /** The client's clock: it tells when a call has been silent for too long. */
  clientClock?: Clock;
  /** Whether cuts are made, as in a real session. */
  compacts?: boolean;
  policy?: Partial<Policy>;
};

/** The real agent and the real client, against a server on loopback. Waits are counted and skipped. */
export async function workbench(
  baseUrl: string,
  { now = Date.now, clientClock = systemClock, compacts = false, policy = {} }: Options = {},
) {
  const waits: number[] = [];
  const { send, ...agent } = await realAgent({
    model: createAnthropicClient({ apiKey: "sk-ant-test", baseUrl, clock: clientClock }),
    modelName: "claude-sonnet-5-5",
    clock: instantClock(now, waits),
    files: { "notes.txt": "one\ntwo\n" },
    mode: "accept-edits",
    policy,
    compacts,
  });
  const ask = (
    text: string,
    on?: (event: AgentEvent, send: (command: AgentCommand) => void) => void,
  ) => send({ type: "prompt", content: [{ type: "text", text }] }, on);
  return { ...agent, ask, waits };
}
