import { afterAll, expect, test } from "bun:test";
import { blockText, type ToolInput } from "../../src/protocol/block.ts";
import { addSubagents } from "../../src/tools/toolbox.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

type Started = Awaited<ReturnType<Parameters<typeof addSubagents>[2]>>;

const task = { description: "d", prompt: "Look around.", run_in_background: true };

/** A tool whose subagents end when their report is settled. */
async function opened() {
  const at = await room();
  const reports = Array.from({ length: 60 }, () =>
    Promise.withResolvers<Awaited<Started["report"]>>(),
  );
  const started: string[] = [];
  const choices = [
    { name: "scout", description: "Looks." },
    { name: "Builder", description: "Builds." },
  ];
  addSubagents(at.box, choices, async ({ type, model }) => {
    const at = started.push(model === null ? type : `${type} with ${model}`) - 1;
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
  const run = async (signal?: AbortSignal, more: ToolInput = {}) =>
    blockText((await at.run("Agent", { ...task, ...more }, signal && { signal })).content);
  return { ...at, run, started, end };
}

test("an agent is found by its name in any case, by default the first; others are refused", async () => {
  const { review, run, started, end } = await opened();
  expect(await review("Agent", task)).toEqual({ verdict: "allow", readOnly: true });
  for (const more of [{}, { subagent_type: "BUILDER", model: "m" }, { subagent_type: "Scout" }])
    expect(await run(undefined, more)).toStartWith("Working in the background, in session s.");
  expect(started).toEqual(["scout", "Builder with m", "scout"]);
  const said = await run(undefined, { subagent_type: "x" });
  expect(said).toBe("There is no agent “x”. Available: scout, Builder.");
  await end(0);
  const failed = run(undefined, { run_in_background: false });
  await end(3);
  expect(await failed).toBe("Agent failed: gone.");
});

test("more subagents than may work at once wait for each other, and none is refused", async () => {
  const { run, started, end } = await opened();
  const calls = Array.from({ length: 50 }, () => run());
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
  const { run, started, end } = await opened();
  for (let at = 0; at < 16; at += 1) await run();
  const stop = new AbortController();
  const waiting = run(stop.signal);
  const after = run();
  stop.abort();
  expect(await waiting).toContain("stopped before it began");
  await end(3);
  await after;
  expect(started).toHaveLength(17);
});
