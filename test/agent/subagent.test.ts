import { expect, spyOn, test } from "bun:test";
import { runSubagent, type SubagentHost } from "../../src/agent/subagents/subagents.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { ToolInput, ToolUseBlock } from "../../src/protocol/block.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { callCost } from "../../src/protocol/model.ts";
import { askAbout } from "../questions.ts";
import { saying, usage } from "./saying.ts";
import { rules } from "./scripted.ts";

const call = (name: string, input: ToolInput): ToolUseBlock => {
  return { type: "tool_use", id: "t", name, input };
};

/** An agent with scripted answers, and the prompts that it got. */
function scripted(script: (seen: AgentCommand[]) => AsyncGenerator<AgentEvent, void>) {
  const seen: AgentCommand[] = [];
  const agent: Agent = {
    async *run(commands) {
      const reading = (async () => {
        for await (const command of commands) seen.push(command);
      })();
      yield* script(seen);
      await reading;
    },
    close: async () => undefined,
    ask: async () => ({ allow: false }),
    changed: () => undefined,
    rules,
  };
  return { agent, seen };
}

function host(changes: Partial<SubagentHost> = {}): SubagentHost & { steps: string[] } {
  const steps: string[] = [];
  return {
    prices: rules.prices,
    signal: new AbortController().signal,
    ask: async () => ({ allow: true, scope: "once" }),
    step: (line) => steps.push(line),
    steps,
    ...changes,
  };
}

test("reports the last words, the tool calls, and what all answers cost", async () => {
  const { agent, seen } = scripted(async function* () {
    yield saying(
      "I look.",
      call("Grep", { pattern: "till\nbell" }),
      call("Read", { limit: 5, note: "", path: "a.ts" }),
    );
    yield saying("It is in till.ts:3.");
    yield { type: "idle", why: "done" };
  });
  const watched = host();
  const report = await runSubagent(agent, "Where is the till?", watched);
  expect(seen[0]).toEqual({
    type: "prompt",
    content: [{ type: "text", text: "Where is the till?" }],
  });
  expect(report).toMatchObject({ text: "It is in till.ts:3.", failure: null, calls: 2 });
  expect(report.usage).toMatchObject({ input: 200, cacheRead: 20, cacheWrite: 10, output: 40 });
  expect(report.usd).toBeCloseTo(2 * callCost(usage, rules.prices), 10);
  expect(watched.steps).toEqual(["Grep till", "Read a.ts"]);
});

test("says that its cost is an estimate where its prices are", async () => {
  const say = async function* () {
    yield saying("Done.");
    yield { type: "idle", why: "done" } as const;
  };
  const known = await runSubagent(scripted(say).agent, "Do it.", host());
  expect(known.isEstimate).toBeUndefined();
  const prices = { ...rules.prices, areEstimates: true as const };
  const guessed = await runSubagent(scripted(say).agent, "Do it.", host({ prices }));
  expect(guessed.isEstimate).toBe(true);
});

test("passes questions on, and the answers back, without waiting for them", async () => {
  const asked: string[] = [];
  const { agent, seen } = scripted(async function* () {
    yield { type: "ask", ask: askAbout("ls", { id: "a" }) };
    yield { type: "ask", ask: askAbout("ls", { id: "b" }) };
    while (seen.length < 3) await Promise.resolve();
    yield saying("done");
    yield { type: "idle", why: "done" };
  });
  await runSubagent(
    agent,
    "go",
    host({
      ask: async ({ id }) => {
        asked.push(id);
        return { allow: false, reason: id };
      },
    }),
  );
  expect(asked).toEqual(["a", "b"]);
  expect(seen.slice(1)).toEqual([
    { type: "answer", id: "a", answer: { allow: false, reason: "a" } },
    { type: "answer", id: "b", answer: { allow: false, reason: "b" } },
  ]);
});

test("stops when it is told to, and says why there is no answer", async () => {
  const stop = new AbortController();
  const { agent, seen } = scripted(async function* () {
    yield saying("I look.");
    stop.abort();
    while (!seen.some(({ type }) => type === "stop")) await Promise.resolve();
    yield { type: "idle", why: "stopped" };
  });
  const report = await runSubagent(agent, "go", host({ signal: stop.signal }));
  expect(report).toMatchObject({
    text: "I look.",
    failure: "It was stopped before it finished.",
  });
});

test("reports why it failed", async () => {
  const { agent } = scripted(async function* () {
    yield { type: "idle", why: "failed", message: "The server is down." };
  });
  const report = await runSubagent(agent, "go", host());
  expect(report).toMatchObject({ text: "", failure: "The server is down.", calls: 0 });
});

test("once it has ended, it listens for no stop", async () => {
  const { agent } = scripted(async function* () {
    yield { type: "idle", why: "done" };
  });
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const add = spyOn(signal, "addEventListener");
  const remove = spyOn(signal, "removeEventListener");
  await runSubagent(agent, "Look.", host({ signal }));
  for (const [, listener] of add.mock.calls) listeners.add(listener);
  for (const [, listener] of remove.mock.calls) listeners.delete(listener);
  expect(add).toHaveBeenCalledTimes(1);
  expect(listeners.size).toBe(0);
});
