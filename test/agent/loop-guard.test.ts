import { expect, test } from "bun:test";
import { ProgressGuard, type Fault, type Verdict } from "../../src/agent/progress.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Entry } from "../../src/protocol/entry.ts";

let serial = 0;

/** A call and its result, as the guard gets them; with a new id each time. */
function called(command: string, output: string): [ToolUseBlock, Entry] {
  const id = `t${++serial}`;
  const call: ToolUseBlock = { type: "tool_use", id, name: "Bash", input: { command } };
  const result: Entry = {
    id: `e${serial}`,
    parent: null,
    at: "",
    type: "result",
    toolUse: id,
    tool: "Bash",
    content: [{ type: "text", text: output }],
    bytes: 0,
    lines: 0,
  };
  return [call, result];
}

const check = (guard: ProgressGuard, command: string, output: string): Verdict | null => {
  const [call, result] = called(command, output);
  return guard.check([call], undefined, [result]);
};

test("the 25th identical result in a row ends the turn", () => {
  const guard = new ProgressGuard();
  for (let times = 1; times < 25; times++) expect(check(guard, "tsc", "1 error")).toBeNull();
  expect(check(guard, "tsc", "1 error")).toEqual({
    is: "end",
    message: expect.stringMatching(/^The model made the same Bash call 25 times/),
  });
});

test("a new result of any call counts as progress", () => {
  const guard = new ProgressGuard();
  for (let round = 0; round < 5; round++) {
    for (let times = 0; times < 20; times++) expect(check(guard, "tsc", "1 error")).toBeNull();
    expect(check(guard, "cat", `version ${round}`)).toBeNull();
  }
});

test("alternating calls are a loop too", () => {
  const guard = new ProgressGuard();
  const said: (Verdict | null)[] = [];
  for (let times = 0; times < 25; times++) {
    said.push(check(guard, "a", "same"), check(guard, "b", "same"));
  }
  expect(said.slice(0, 48).every((message) => message === null)).toBe(true);
  expect(said[49]).not.toBeNull();
});

test("the same call with a different result is not a loop", () => {
  const guard = new ProgressGuard();
  for (let times = 0; times < 60; times++) expect(check(guard, "date", `${times}`)).toBeNull();
});

test("a call without a result is ignored, the next one is not", () => {
  const guard = new ProgressGuard();
  const [open] = called("sleep", "");
  for (let times = 1; times < 25; times++) {
    const [call, result] = called("tsc", "1 error");
    expect(guard.check([open, call], undefined, [result])).toBeNull();
  }
  const [call, result] = called("tsc", "1 error");
  expect(guard.check([open, call], undefined, [result])).not.toBeNull();
});

test("different calls that bring the same result are a loop as well", () => {
  const guard = new ProgressGuard();
  let steps = 0;
  while (steps < 200 && check(guard, `grep ${steps}`, "no matches") === null) steps++;
  expect(steps).toBe(99);
});

type Step = { tool: string; fault?: Fault; output?: string; failed?: boolean };

/** Takes steps of one call each; returns the step that told the model first, and the one that ended the turn. */
function take(step: (at: number) => Step | Step[], most = 400) {
  const guard = new ProgressGuard();
  let told: number | null = null;
  for (let at = 1; at <= most; at++) {
    const faults = new Map<string, Fault>();
    const made = [step(at)].flat().map(({ tool, fault, output, failed }) => {
      const [call, result] = called(`${at}`, output ?? `result ${at}`);
      if (fault) faults.set(call.id, fault);
      const isError = fault || failed ? { isError: true as const } : {};
      return { call: { ...call, name: tool }, result: { ...result, ...isError } };
    });
    const verdict = guard.check(
      made.map(({ call }) => call),
      faults,
      made.map(({ result }) => result),
    );
    if (verdict?.is === "end") return { told, ended: at, message: verdict.message };
    if (verdict) told ??= at;
  }
  return { told, ended: null, message: "" };
}

const faults: Fault[] = ["cut", "unreadable", "wrong", "denied"];

test.each(faults)("calls that are %s: told after two in a row, ended after four", (fault) => {
  expect(take(() => ({ tool: "Write", fault }))).toMatchObject({ told: 2, ended: 4 });
});

test("alternating faults and tools are a row, too", () => {
  const tools = ["Write", "Bash", "Edit"];
  const step = (at: number): Step => ({
    tool: tools[at % 3] ?? "",
    fault: faults[at % 4] ?? "cut",
  });
  expect(take(step)).toMatchObject({ told: 2, ended: 4 });
});

test.each<[Fault, number]>([
  ["cut", 7],
  ["unreadable", 11],
  ["wrong", 15],
  ["denied", 23],
])("%s calls with another call between that succeeds end at step %d", (fault, ended) => {
  const step = (at: number): Step => (at % 2 ? { tool: "Write", fault } : { tool: "Glob" });
  expect(take(step).ended).toBe(ended);
});

test("a call that succeeds beside it, or three between, do not hide a cut-off call", () => {
  expect(take(() => [{ tool: "Glob" }, { tool: "Write", fault: "cut" }]).ended).toBe(4);
  const rare = (at: number): Step => (at % 4 ? { tool: "Glob" } : { tool: "Write", fault: "cut" });
  expect(take(rare).ended).toBe(16);
});

test("names that no tool has count together", () => {
  const step = (at: number): Step =>
    at % 2 ? { tool: `tool_${at}`, fault: "wrong" } : { tool: "Glob" };
  expect(take(step).ended).toBe(15);
});

test("a tool that works in between starts over, unless it brings nothing new", () => {
  const works = (at: number): Step =>
    at % 2 ? { tool: "Write", fault: "cut" } : { tool: "Write" };
  expect(take(works).ended).toBeNull();
  const same = (at: number): Step =>
    at % 2 ? { tool: "Write", fault: "cut" } : { tool: "Glob", output: "same" };
  expect(take(same).ended).not.toBeNull();
});

test("steps in which every call fails are told after ten and ended after twenty", () => {
  expect(take((at) => ({ tool: "Edit", failed: true, output: `${at}` }))).toMatchObject({
    told: 10,
    ended: 20,
  });
  const mixed = (at: number): Step => ({ tool: "Bash", failed: at % 5 > 0 });
  expect(take(mixed)).toMatchObject({ told: null, ended: null });
});
