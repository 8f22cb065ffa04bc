import { expect, test } from "bun:test";
import { agentTool, type StartedSubagent } from "../../src/tools/agent-tool.ts";
import { quietRun } from "./room.ts";

const task = { description: "d", prompt: "p", run_in_background: true };

/** A tool whose subagents end when their report is settled. */
function opened() {
  const reports = Array.from({ length: 60 }, () =>
    Promise.withResolvers<Awaited<StartedSubagent["report"]>>(),
  );
  const started: number[] = [];
  const tool = agentTool([{ name: "scout", description: "Looks." }], async () => {
    const at = started.push(started.length) - 1;
    return {
      session: "s",
      report: reports[at]?.promise ?? Promise.reject(new Error("unexpected")),
      detach: () => undefined,
    };
  });
  const end = async (at: number): Promise<void> => {
    reports[at]?.reject(new Error("gone"));
    await reports[at]?.promise.catch(() => undefined);
  };
  const run = { ...quietRun(), toolUse: "t", path: null, checkpoint: async () => undefined };
  return { tool, run, started, end };
}

test("more subagents than may work at once wait for each other, and none is refused", async () => {
  const { tool, run, started, end } = opened();
  const calls = Array.from({ length: 50 }, () => tool.run(task, run));
  await Promise.all(calls.slice(0, 16));
  expect(started).toHaveLength(16);
  for (let at = 0; at < 34; at++) {
    await end(at);
    await calls[16 + at];
  }
  await Promise.all(calls);
  expect(started).toHaveLength(50);
});

test("a call that is stopped while it waits begins nothing and takes no place", async () => {
  const { tool, run, started, end } = opened();
  for (let at = 0; at < 16; at += 1) await tool.run(task, run);
  const stop = new AbortController();
  const waiting = tool.run(task, { ...run, signal: stop.signal });
  const after = tool.run(task, run);
  stop.abort();
  await expect(waiting).rejects.toThrow("stopped before it began");
  await end(3);
  await after;
  expect(started).toHaveLength(17);
});
