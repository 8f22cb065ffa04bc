import { expect, test } from "bun:test";
import { counted } from "../../src/base/format.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { CallOptions, ToolOutcome } from "../../src/tools/tool.ts";
import { of, prompt, run } from "./harness.ts";
import { says, ScriptedToolbox } from "./scripted.ts";

/** A check that fails so many times, then passes. */
class Checks extends ScriptedToolbox {
  readonly #failures: number;

  constructor(failures: number) {
    super(async () => "3 tests failed");
    this.#failures = failures;
    this.allowed.push("Bash");
  }

  override async run(call: ToolUseBlock, options: CallOptions): Promise<ToolOutcome> {
    const outcome = await super.run(call, options);
    return this.ran.length > this.#failures ? outcome : { ...outcome, isError: true };
  }
}

const pursue = (prompt: string, toolbox: ScriptedToolbox, answers = 4) =>
  run(
    Array.from({ length: answers }, (_, turn) => says(`try ${turn}`)),
    { prompts: [prompt], findCommand: async () => null, toolbox },
  );

test("/goal goes on with the output of the check until it passes", async () => {
  const { log, model, events, toolbox } = await pursue("/goal bun test\nFix it.", new Checks(2));
  const [asked] = of(log.entries, "user");
  expect(JSON.stringify(asked?.content)).toContain("bun test");
  expect(JSON.stringify(asked?.content)).toContain("Fix it.");
  expect(toolbox.ran).toHaveLength(3);
  expect(of(log.entries, "context").map(({ content }) => JSON.stringify(content))).toEqual([
    expect.stringContaining("turn 1 of 20). Its output:\\n\\n3 tests failed"),
    expect.stringContaining("turn 2 of 20)"),
  ]);
  expect(model.left).toBe(1);
  expect(of(log.entries, "note").at(-1)?.text).toBe("Goal reached after 3 turns: bun test");
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "done" });
});

test("/goal ends at its limit of turns or of dollars, and when the check may not run", async () => {
  const turns = await pursue("/goal --turns 2 bun test", new Checks(9));
  expect(turns.events.at(-1)).toMatchObject({
    why: "failed",
    limit: "turns",
    message: "The goal is not reached: bun test still fails after 2 turns.",
  });
  const dollars = await pursue("/goal --usd=0.0001 bun test", new Checks(9));
  expect(dollars.events.at(-1)).toMatchObject({ why: "failed", limit: "budget" });
  const forbidden = new Checks(9);
  forbidden.review = async () => ({ verdict: "refuse", reason: "No commands here." });
  const refused = await pursue("/goal bun test", forbidden);
  expect(refused.events.at(-1)).toMatchObject({
    message: "The check of the goal could not run (not run: No commands here.)",
  });
});

test("the dollars and the calls of a goal count from its start, and anew for each of its turns", async () => {
  const call = { blocks: [{ type: "tool_use" as const, id: "t", name: "read", input: {} }] };
  const { events } = await run([says("Hi."), call, says("Better."), call, says("Good.")], {
    findCommand: async () => null,
    toolbox: new Checks(2),
    agent: { limits: { maxCalls: 2 } },
    next: [prompt("/goal --usd 0.001 bun test")],
  });
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "done" });
});

test("the dollars of a goal end a turn between two calls", async () => {
  const toolbox = new Checks(9);
  toolbox.allowed.push("Read");
  const reads = Array.from({ length: 4 }, (_, at) => ({
    blocks: [{ type: "tool_use" as const, id: `t${at}`, name: "Read", input: { at } }],
  }));
  const { model, events } = await run(reads, {
    prompts: ["/goal --usd 0.0001 bun test"],
    findCommand: async () => null,
    toolbox,
  });
  expect(model.left).toBe(3);
  expect(toolbox.ran).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "failed", limit: "budget" });
});

test("/goal without a check says how it is used, and is not sent", async () => {
  const { log, model } = await pursue("/goal", new Checks(0));
  expect(of(log.entries, "user")).toEqual([]);
  expect(of(log.entries, "note")[0]?.text).toContain("/goal [--turns N] [--usd N] CHECK");
  expect(model.left).toBe(4);
});

test.each([
  ["--turns 1 --usd 1.5 make check", "make check", 1],
  ["--usd=2 --turns=2 ./check.sh --usd 9", "./check.sh --usd 9", 2],
])("/goal %s", async (text, check, turns) => {
  const { events } = await pursue(`/goal ${text}`, new Checks(9));
  const message = `The goal is not reached: ${check} still fails after ${counted(turns, "turn")}.`;
  expect(events.at(-1)).toMatchObject({ why: "failed", message });
});

test("an image is sent with a built-in command", async () => {
  const source = { type: "base64" as const, media_type: "image/png" as const, data: "AA==" };
  const image = { type: "image" as const, source };
  const content = [image, { type: "text" as const, text: "/review" }];
  const { log } = await run([says("Hi."), says("Fine.")], {
    findCommand: async () => null,
    next: [{ type: "prompt", content }],
  });
  expect(of(log.entries, "user")[1]?.content).toMatchObject([image, { type: "text" }]);
});

test("/review asks for findings by file and line, of what is named or of what is not committed", async () => {
  const sent = async (prompt: string): Promise<string> => {
    const { log } = await pursue(prompt, new ScriptedToolbox());
    return JSON.stringify(of(log.entries, "user")[0]?.content);
  };
  expect(await sent("/review main..HEAD")).toContain("Review main..HEAD. Change nothing.");
  const all = await sent("/review");
  expect(all).toContain("not committed");
  expect(all).toContain("path:line: severity");
});
