/** A turn that gets nowhere is told so, then ended. */

import { expect, test } from "bun:test";
import { unreadableInputKey, type ToolUseBlock } from "../../src/protocol/block.ts";
import { ending, of, run } from "./harness.ts";
import { says, type Scripted, ScriptedToolbox } from "./scripted.ts";

type Fault = "cut" | "unreadable" | "wrong" | "denied";
type Step = { tool: string; fault?: Fault; output?: string; failed?: boolean };

/** Takes steps of these calls; after how many answers the model was told each time, and the turn ended. */
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
  const told = log.path.flatMap((entry, at) =>
    entry.type === "context" && entry.title === "no progress" ? [at] : [],
  );
  const end = ending(events);
  return {
    told: told.map((at) => of(log.path.slice(0, at), "assistant").length),
    ended: end.why === "done" ? null : model.requests.length,
    message: end.message,
  };
}

const faults: Fault[] = ["cut", "unreadable", "wrong", "denied"];
const cut: Step = { tool: "Write", fault: "cut" };
const glob: Step = { tool: "Glob" };
const same = (tool: string): Step => ({ tool, output: "same" });
/** Of so many steps the last is `rare`, the others are `often`. */
const every = (steps: number, rare: Step, often: Step) => (at: number) =>
  at % steps === 0 ? rare : often;

/** After how many answers the model is told, and the turn ends; null: never. */
test.each<[string, (at: number) => Step | Step[], told: number[], ended: number | null]>([
  ["calls that are cut", () => cut, [2], 4],
  ["unreadable", () => ({ tool: "Write", fault: "unreadable" }), [2, 3], 4],
  ["wrong", () => ({ tool: "Write", fault: "wrong" }), [2], 4],
  ["denied", () => ({ tool: "Write", fault: "denied" }), [2], 4],
  [
    "alternating faults and tools",
    (at) => ({ tool: "Write Bash Edit".split(" ")[at % 3] ?? "", fault: faults[at % 4] ?? "cut" }),
    [2],
    4,
  ],
  ["a cut call before each that succeeds", every(2, glob, cut), [3], 7],
  ["an unreadable one", every(2, glob, { tool: "Write", fault: "unreadable" }), [5], 11],
  ["a wrong one", every(2, glob, { tool: "Write", fault: "wrong" }), [7], 15],
  ["a denied one", every(2, glob, { tool: "Write", fault: "denied" }), [11], 23],
  ["a cut call beside one that succeeds", () => [glob, cut], [2], 4],
  ["three that succeed between", every(4, cut, glob), [8], 16],
  ["names that no tool has", (at) => (at % 2 ? { tool: `${at}`, fault: "wrong" } : glob), [7], 15],
  ["a tool that works in between", every(2, { tool: "Write" }, cut), [], null],
  ["one that brings nothing new in between", every(2, same("Glob"), cut), [3, 5], 7],
  ["the same one that brings nothing new", every(2, same("Write"), cut), [5], 9],
  ["steps in which every call fails", () => ({ tool: "Edit", failed: true }), [10], 20],
  [
    "one of five that does not",
    every(5, { tool: "Bash" }, { tool: "Bash", failed: true }),
    [],
    null,
  ],
  ["identical results", () => same("Bash"), [], 25],
  ["identical results of two calls", every(2, same("Grep"), same("Bash")), [], 49],
  ["a new one in between", every(20, { tool: "Bash" }, same("Bash")), [], null],
  ["different calls with the same result", () => ({ tool: "Grep", output: "no matches" }), [], 100],
])("%s", async (_, step, told, ended) => {
  const taken = await take(step);
  expect([taken.told, taken.ended]).toEqual([told, ended]);
});

test("the message names the call that was repeated", async () => {
  expect((await take(() => same("Bash"))).message).toContain("Bash call 25 times");
});
