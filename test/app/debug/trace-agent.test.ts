import { expect, test } from "bun:test";
import { rules } from "../../context/build.ts";
import type { Agent } from "../../../src/agent/agent.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { logFile } from "./log-file.ts";

/** What the log says about these events and commands, which must pass unchanged. */
async function traced(events: AgentEvent[], commands: AgentCommand[] = []): Promise<string[]> {
  const { log, lines } = logFile();
  const received: AgentCommand[] = [];
  let closed = 0;
  const inner: Agent = {
    async *run(given) {
      for await (const command of given) received.push(command);
      yield* events;
    },
    close: async () => void closed++,
    ask: async () => ({ allow: false }),
    changed: () => undefined,
    rules,
  };
  async function* send(): AsyncGenerator<AgentCommand> {
    yield* commands;
  }
  const agent = log.agent(inner);
  expect(await Array.fromAsync(agent.run(send()))).toEqual(events);
  expect(received).toEqual(commands);
  await agent.close();
  expect(closed).toBe(1);
  return lines();
}

const entry = (fact: Fact): AgentEvent => {
  const full: Entry = { id: "e1", parent: null, at: "", ...fact };
  return { type: "entry", entry: full };
};
const text = (words: string) => [{ type: "text" as const, text: words }];

test("commands are written, prompts by their text", async () => {
  const prompt = { type: "prompt", content: text("hello") } as const;
  expect(await traced([], [prompt, { type: "stop" }])).toEqual([
    "command prompt: hello",
    'command {"type":"stop"}',
  ]);
});

test("what comes with every token is left out", async () => {
  const streaming: AgentEvent[] = [
    { type: "delta", index: 0, kind: "text", text: "x" },
    { type: "progress", toolUse: "t", tail: "x", bytes: 1 },
    { type: "compaction", state: { step: "writing", text: "x" } },
  ];
  expect(await traced([...streaming, { type: "phase", phase: "tools" }])).toEqual([
    'event {"type":"phase","phase":"tools"}',
  ]);
  expect(await traced([{ type: "compaction", state: { step: "done" } }])).toHaveLength(1);
});

test("entries are written, long ones by their start", async () => {
  const [line = ""] = await traced([entry({ type: "user", content: text("w".repeat(300)) })]);
  expect(line).toStartWith('entry {"id":"e1","parent":null,"at":"","type":"user"');
  expect(line).toEndWith("w…");
});
