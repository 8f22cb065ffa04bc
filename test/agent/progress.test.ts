/** A turn that gets nowhere is told so, then ended. */

import { expect, test } from "bun:test";
import { unreadableInputKey, type ToolUseBlock } from "../../src/protocol/block.ts";
import { ending, of, run } from "./harness.ts";
import { says, type Scripted, ScriptedToolbox } from "./scripted.ts";

type Fault = "cut" | "unreadable" | "wrong" | "denied";
type Step = { tool: string; fault?: Fault; output?: string; failed?: boolean };

/** Takes steps of these calls; after how many answers the model was told, and the turn ended. */
async function take(step: (at: number) => Step | Step[], most = 130) {
  const known = new Map<string, Step>();
  const script = Array.from({ length: most }, (_, index): Scripted => {
    const steps = [step(index + 1)].flat();
    const blocks = steps.map((made, n): ToolUseBlock => {
      const id = `${index + 1}.${n}`;
      known.set(id, made);
      const odd = made.fault === "unreadable" || made.fault === "cut";
      const input = odd ? { [unreadableInputKey]: id } : { at: made.output === "same" ? 0 : id };
      return { type: "tool_use", id, name: made.tool, input };
    });
    return { blocks, stop: steps.at(-1)?.fault === "cut" ? "max_tokens" : "tool_use" };
  });
  const toolbox = new ScriptedToolbox(async ({ id }) => known.get(id)?.output ?? `result ${id}`);
  toolbox.review = async ({ id }) => {
    const fault = known.get(id)?.fault;
    if (!fault || fault === "cut") return { verdict: "allow", readOnly: false };
    return {
      verdict: "refuse",
      reason: `No: ${id}`,
      ...(fault === "denied" && { isDenial: true as const }),
    };
  };
  const runs = toolbox.run.bind(toolbox);
  toolbox.run = async (call, options) => ({
    ...(await runs(call, options)),
    ...(known.get(call.id)?.failed && { isError: true as const }),
  });
  const { log, model, events } = await run([...script, says("done")], { toolbox });
  const told = log.path.findIndex(
    (entry) => entry.type === "context" && entry.title === "no progress",
  );
  const end = ending(events);
  return {
    told: told === -1 ? null : of(log.path.slice(0, told), "assistant").length,
    ended: end.why === "done" ? null : model.requests.length,
    message: end.message,
  };
}

const faults: Fault[] = ["cut", "unreadable", "wrong", "denied"];

test.each(faults)("calls that are %s: told after two in a row, ended after four", async (fault) => {
  expect(await take(() => ({ tool: "Write", fault }))).toMatchObject({ told: 2, ended: 4 });
});

test("alternating faults and tools are a row, too", async () => {
  const tools = ["Write", "Bash", "Edit"];
  const step = (at: number): Step => ({
    tool: tools[at % 3] ?? "",
    fault: faults[at % 4] ?? "cut",
  });
  expect(await take(step)).toMatchObject({ told: 2, ended: 4 });
});

test.each<[Fault, number]>([
  ["cut", 7],
  ["unreadable", 11],
  ["wrong", 15],
  ["denied", 23],
])("%s calls with another call between that succeeds end at step %d", async (fault, ended) => {
  const step = (at: number): Step => (at % 2 ? { tool: "Write", fault } : { tool: "Glob" });
  expect((await take(step)).ended).toBe(ended);
});

test("a call that succeeds beside it, or three between, do not hide a cut-off call", async () => {
  const beside = await take(() => [{ tool: "Glob" }, { tool: "Write", fault: "cut" }]);
  expect(beside.ended).toBe(4);
  const rare = (at: number): Step => (at % 4 ? { tool: "Glob" } : { tool: "Write", fault: "cut" });
  expect((await take(rare)).ended).toBe(16);
});

test("names that no tool has count together", async () => {
  const step = (at: number): Step =>
    at % 2 ? { tool: `tool_${at}`, fault: "wrong" } : { tool: "Glob" };
  expect((await take(step)).ended).toBe(15);
});

test("a tool that works in between starts over, unless it brings nothing new", async () => {
  const works = (at: number): Step =>
    at % 2 ? { tool: "Write", fault: "cut" } : { tool: "Write" };
  expect((await take(works)).ended).toBeNull();
  const same = (at: number): Step =>
    at % 2 ? { tool: "Write", fault: "cut" } : { tool: "Glob", output: "same" };
  expect((await take(same)).ended).not.toBeNull();
  const again = (at: number): Step => ({
    tool: "Write",
    ...(at % 2 ? { fault: "cut" } : { output: "same" }),
  });
  expect((await take(again)).ended).not.toBeNull();
});

test("steps in which every call fails are told after ten and ended after twenty", async () => {
  expect(await take(() => ({ tool: "Edit", failed: true }))).toMatchObject({ told: 10, ended: 20 });
  const mixed = (at: number): Step => ({ tool: "Bash", failed: at % 5 > 0 });
  expect(await take(mixed)).toMatchObject({ told: null, ended: null });
});

test("the 25th identical result ends the turn, unless a new one came in between", async () => {
  const same = await take(() => ({ tool: "Bash", output: "same" }));
  expect(same).toMatchObject({ ended: 25, message: expect.stringContaining("Bash call 25 times") });
  const both = await take((at) => ({ tool: at % 2 ? "Bash" : "Grep", output: "same" }));
  expect(both.ended).toBe(49);
  const news = (at: number): Step => ({ tool: "Bash", ...(at % 20 && { output: "same" }) });
  expect((await take(news)).ended).toBeNull();
});

test("different calls that bring the same result are a loop as well", async () => {
  expect((await take(() => ({ tool: "Grep", output: "no matches" }))).ended).toBe(100);
});
