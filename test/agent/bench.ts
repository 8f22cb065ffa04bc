import { createAnthropicClient } from "../../src/model/anthropic.ts";
import type { Command } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import { instantClock } from "../instant-clock.ts";
import { realAgent } from "./real-agent.ts";

type Options = {
  stallMs?: number;
  now?: () => number;
  /** Cuts are made as in a real session; else never. */
  compacts?: boolean;
  policy?: Partial<Policy>;
};

/** The real agent with the real client, against a server on loopback. Waits are counted, not waited for. */
export async function workbench(
  baseUrl: string,
  { now = Date.now, compacts = false, policy = {}, ...options }: Options = {},
) {
  const waits: number[] = [];
  const { send, ...agent } = await realAgent({
    model: createAnthropicClient({ apiKey: "sk-ant-test", baseUrl, ...options }),
    modelName: "claude-sonnet-5-5",
    clock: instantClock(now, waits),
    files: { "notes.txt": "one\ntwo\n" },
    mode: "accept-edits",
    policy,
    compacts,
  });
  const ask = (text: string, on?: (event: AgentEvent, send: (command: Command) => void) => void) =>
    send({ type: "prompt", content: [{ type: "text", text }] }, on);
  return { ...agent, ask, waits };
}
