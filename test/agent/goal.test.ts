import { expect, test } from "bun:test";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { CallOptions, ToolOutcome } from "../../src/tools/tool.ts";
import { png } from "../fake-api/png.ts";
import { of, prompt, run } from "./harness.ts";
import { says, ScriptedToolbox, uses } from "./scripted.ts";

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

const tries = [0, 1, 2, 3].map((turn) => says(`try ${turn}`));
const pursue = (prompt: string, toolbox: ScriptedToolbox, script = tries) =>
  run(script, { prompts: [prompt], findCommand: async () => null, toolbox });

test("/goal goes on with the output of the check until it passes", async () => {
  const pursued = await pursue("/goal bun test\nFix it.", new Checks(2));
  const { log, model, events, toolbox, notes } = pursued;
  const asked = JSON.stringify(of(log.entries, "user")[0]?.content);
  expect(asked).toMatch(/bun test.*Fix it\./);
  expect(toolbox.ran).toHaveLength(3);
  expect(of(log.entries, "context").map(({ content }) => JSON.stringify(content))).toEqual([
    expect.stringContaining("turn 1 of 20). Its output:\\n\\n3 tests failed"),
    expect.stringContaining("turn 2 of 20)"),
  ]);
  expect(model.left).toBe(1);
  expect(notes.at(-1)).toBe("Goal reached after 3 turns: bun test");
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "done" });
});

test("/goal ends at its limit of dollars, and when the check may not run", async () => {
  const dollars = await pursue("/goal --usd=0.0001 bun test", new Checks(9));
  const message: unknown = expect.stringMatching(/ has not passed at \$0\.\d{4}; the limit/);
  expect(dollars.events.at(-1)).toMatchObject({ why: "failed", limit: "budget", message });
  const forbidden = new Checks(9);
  forbidden.review = async () => ({ verdict: "refuse", reason: "No commands here." });
  const refused = await pursue("/goal bun test", forbidden);
  expect(refused.events.at(-1)).toMatchObject({
    message: "The check of the goal could not run (not run: No commands here.)",
  });
});

test("the dollars and the calls of a goal count from its start, and anew for each of its turns", async () => {
  const call = uses("t", "read");
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
  const reads = Array.from({ length: 4 }, (_, at) => uses(`t${at}`, "Read"));
  const { model, events } = await pursue("/goal --usd 0.0001 bun test", toolbox, reads);
  expect(model.left).toBe(3);
  expect(toolbox.ran).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "idle", why: "failed", limit: "budget" });
});

test("/goal without a check says how it is used, and is not sent", async () => {
  const { logged, notes, model } = await pursue("/goal", new Checks(0));
  expect(logged).toBe("session note");
  expect(notes[0]).toContain("/goal [--turns N] [--usd N] CHECK");
  expect(model.left).toBe(4);
});

test.each([
  ["--turns 1 --usd 1.5 make check", "make check still fails after 1 turn."],
  ["--usd=2 --turns=2 ./check.sh --usd 9", "./check.sh --usd 9 still fails after 2 turns."],
])("/goal %s", async (text, fails) => {
  const { events } = await pursue(`/goal ${text}`, new Checks(9));
  const message = `The goal is not reached: ${fails}`;
  expect(events.at(-1)).toMatchObject({ why: "failed", limit: "turns", message });
});

test("an image is sent with a built-in command", async () => {
  const image = png(1);
  const content = [image, { type: "text" as const, text: "/review" }];
  const { log } = await run([says("Hi."), says("Fine.")], {
    findCommand: async () => null,
    next: [{ type: "prompt", content }],
  });
  expect(of(log.entries, "user")[1]?.content).toMatchObject([image, { type: "text" }]);
});

test("/review asks for findings by file and line, of what is named or of what is not committed", async () => {
  const sent = async (prompt: string) => (await pursue(prompt, new ScriptedToolbox())).sent;
  expect(await sent("/review main..HEAD")).toContain("Review main..HEAD. Change nothing.");
  expect(await sent("/review")).toMatch(/not committed.*path:line: severity/);
});
