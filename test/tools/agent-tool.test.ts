import { expect, test } from "bun:test";
import { agentTool, type StartedSubagent } from "../../src/tools/agent-tool.ts";
import { quietRun } from "./room.ts";

test("the number of subagents at work is limited, including those in the background", async () => {
  const reports = Array.from({ length: 20 }, () =>
    Promise.withResolvers<Awaited<StartedSubagent["report"]>>(),
  );
  let started = 0;
  const tool = agentTool([{ name: "scout", description: "Looks." }], async () => ({
    session: "s",
    report: reports[started++]?.promise ?? Promise.reject(new Error("unexpected")),
    detach: () => undefined,
  }));
  const run = { ...quietRun(), toolUse: "t", path: null, checkpoint: async () => undefined };
  const input = { description: "d", prompt: "p", run_in_background: true };
  for (let at = 0; at < 16; at += 1) await tool.run(input, run);
  await expect(tool.run(input, run)).rejects.toThrow("16 subagents are at work");
  expect(started).toBe(16);
  reports[3]?.reject(new Error("gone"));
  await reports[3]?.promise.catch(() => undefined);
  await tool.run(input, run);
  expect(started).toBe(17);
});
