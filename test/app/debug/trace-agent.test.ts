import { expect, test } from "bun:test";
import { rules } from "../../context/build.ts";
import type { Agent } from "../../../src/agent/agent.ts";
import { traceAgent } from "../../../src/app/debug/trace-agent.ts";
import type { Command } from "../../../src/protocol/command.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { logFile } from "./log-file.ts";

/** What the log says about these events and commands, which must pass unchanged. */
async function traced(events: AgentEvent[], commands: Command[] = []): Promise<string[]> {
  const { log, lines } = logFile();
  const received: Command[] = [];
  let closed = 0;
  const inner: Agent = {
    async *run(given) {
      for await (const command of given) received.push(command);
      yield* events;
    },
    close: async () => void closed++,
    rules,
  };
  async function* send(): AsyncGenerator<Command> {
    yield* commands;
  }
  const agent = traceAgent(inner, log);
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

test("entries are described by what they hold, long ones by their start", async () => {
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
  const price = { usedBefore: 5_000, usedAfter: 1_000, cachedBroken: 0, usd: 0, breakEvenCalls: 1 };
  const call = { type: "tool_use" as const, id: "t", name: "Bash", input: { command: "ls" } };
  const answer = {
    type: "assistant",
    content: [...text("done"), call],
    model: "m",
    usage,
    stop: "tool_use",
    sentAt: "",
  } as const;
  const result = { type: "result", toolUse: "t", tool: "Bash", bytes: 1_200, lines: 1 } as const;
  const change = { kind: "replace", entry: "e0", text: "" } as const;
  expect(
    await traced([
      entry({
        type: "session",
        version: 1,
        session: "s",
        cwd: "/w",
        model: "m",
        system: "",
        tools: [],
      }),
      entry({ type: "user", content: text("w".repeat(300)) }),
      entry({ ...answer, content: [...answer.content] }),
      entry({ ...result, content: text("out") }),
      entry({ ...result, content: text("no"), isError: true }),
      entry({
        type: "cut",
        tier: "snip",
        trigger: "auto",
        reason: "stale",
        changes: [change],
        price,
      }),
      entry({ type: "note", kind: "info", text: "n" }),
    ]),
  ).toEqual([
    "entry e1 session s in /w, 0 tools",
    `entry e1 user: ${"w".repeat(199)}…`,
    'entry e1 assistant, tool_use: done Bash {"command":"ls"}',
    "entry e1 result of Bash, 1,200 bytes: out",
    "entry e1 result of Bash, 1,200 bytes, failed: no",
    "entry e1 cut by snip (auto): stale; 1 change, 5,000 to 1,000 tokens",
    'entry e1 note: {"id":"e1","parent":null,"at":"","type":"note","kind":"info","text":"n"}',
  ]);
});
