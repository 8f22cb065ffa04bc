/** What is shown, asked and recorded around a call. */

import { expect, test } from "bun:test";
import { contextFact } from "../../src/protocol/context-fact.ts";
import type { Answer } from "../../src/protocol/command.ts";
import type { CheckpointFact } from "../../src/protocol/entry.ts";
import type { Review, ToolOutcome } from "../../src/tools/tool.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { of, run } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { says, ScriptedToolbox, uses } from "./scripted.ts";

/**
 * One turn with one call and a modified review; a question is answered with `answer`, or the turn
 * is stopped.
 */
async function called(
  name: string,
  {
    review,
    answer,
    toolbox = new ScriptedToolbox(),
  }: { review?: Review; answer?: Answer | "stop"; toolbox?: ScriptedToolbox } = {},
) {
  if (review) toolbox.review = async () => review;
  const done = await run([uses("a", name), says("ok")], {
    toolbox,
    ...(answer === "stop" && { replies: { ask: { type: "stop" } } }),
    ...(typeof answer === "object" && { answer }),
  });
  const [result] = of(done.log.path, "result");
  const denied = done.events.filter(({ type }) => type === "denied");
  return { ...done, result, denied, said: JSON.stringify(result?.content) };
}

test("a refusal by a rule is shown as a denial, a wrong call is not", async () => {
  const reason = "No.";
  const byRule = await called("write", { review: { verdict: "refuse", reason, isDenial: true } });
  expect(byRule.denied).toEqual([{ type: "denied", toolUse: "a" }]);
  const wrong = await called("write", { review: { verdict: "refuse", reason } });
  expect(wrong.denied).toEqual([]);
  expect(wrong.result).toMatchObject({ isError: true, bytes: 3, lines: 1 });
  expect(wrong.events).toContainEqual({ type: "phase", phase: "tools" });
});

test("a denial by the user is shown, with the answer given instead; a stop is no denial, and the result says so", async () => {
  const no = await called("write", { answer: { allow: false, reason: "use tabs" } });
  expect(no.denied).toEqual([{ type: "denied", toolUse: "a" }]);
  expect(no.toolbox.ran).toEqual([]);
  expect(no.notes).toEqual(["denied: write"]);
  expect(no.said).toContain("The user denied this call and said: use tabs");
  const given = await called("write", {
    answer: { allow: false, reason: "Blue.", isResult: true },
  });
  expect(given.said).toBe('[{"type":"text","text":"Blue."}]');
  const stopped = await called("write", { answer: "stop" });
  expect(stopped.denied).toEqual([]);
  expect(stopped.said).toContain("Interrupted by the user before it finished.");
});

test("denials without a word end the turn, words of the user are an answer", async () => {
  const denied = async (answer: Answer, tool = "write") => {
    const script = Array.from({ length: 5 }, (_, at) => uses(`t${at}`, tool));
    return (await run([...script, says("ok")], { answer })).model.left;
  };
  expect(await denied({ allow: false })).toBe(2);
  expect(await denied({ allow: false, reason: "use tabs" })).toBe(0);
  const blue = { allow: false, reason: "Blue.", isResult: true } as const;
  expect(await denied(blue)).toBe(2);
  expect(await denied(blue, "AskUserQuestion")).toBe(0);
});

test.each(["session", "always"] as const)("allowed with scope %s", async (scope) => {
  const toolbox = new ScriptedToolbox();
  const saved: unknown[] = [];
  toolbox.allowForSession = ({ id }, how) => void saved.push([id, how]);
  await called("write", { toolbox, answer: { allow: true, scope } });
  expect(saved).toEqual([["a", { save: scope === "always" }]]);
});

test("the note of a question names a command by its first line", async () => {
  const asked = async (detailKind: "command" | "text") => {
    const ask = { title: "Run", detail: "ls\npwd", detailKind, rule: null };
    const review: Review = { verdict: "ask", readOnly: false, ask };
    return (await called("write", { review, answer: { allow: true, scope: "once" } })).notes;
  };
  expect(await asked("command")).toEqual(["allowed (once): Run: ls"]);
  expect(await asked("text")).toEqual(["allowed (once): Run"]);
});

test("the files that a call would change are recorded before its result", async () => {
  const files: CheckpointFact["files"] = [{ path: "/w/a", before: null, after: null }];
  for (const [checkpoint, types] of [
    [files, ["checkpoint", "result"]],
    [[], ["result"]],
  ] as const) {
    const toolbox = new ScriptedToolbox();
    const runs = toolbox.run.bind(toolbox);
    toolbox.run = async (...args) => ({ ...(await runs(...args)), checkpoint: [...checkpoint] });
    const { log } = await called("free", { toolbox });
    const changes = log.path.filter(({ type }) => type === "checkpoint" || type === "result");
    expect(changes.map(({ type }) => type)).toEqual([...types]);
    expect(changes.at(-1)).not.toHaveProperty("checkpoint");
  }
});

test("a mode that a call changes is reported, facts follow its result, and neither is part of it", async () => {
  const toolbox = new ScriptedToolbox();
  const runs = toolbox.run.bind(toolbox);
  const facts = [contextFact("instructions", "/w/AGENTS.md", "Use tabs.")];
  toolbox.run = async (...args) => ({ ...(await runs(...args)), mode: "accept-edits", facts });
  const { events, log, logged } = await called("free", { toolbox });
  expect(logged).toBe("session user assistant result context assistant");
  const modes = events.filter(({ type }) => type === "mode");
  expect(modes).toEqual([{ type: "mode", mode: "accept-edits" }]);
  expect(Object.keys(of(log.path, "result")[0] ?? {})).not.toContainAnyValues(["mode", "facts"]);
});

test("what a call keeps elsewhere is discarded with a result that cannot be written", async () => {
  const discarded: ToolOutcome[] = [];
  const discard = async (outcome: ToolOutcome) => void discarded.push(outcome);
  const log = new MemoryLog();
  log.before = ({ type }) => (type === "result" ? Promise.reject(new Error("full")) : undefined);
  const toolbox = Object.assign(new ScriptedToolbox(), { discard });
  await run([uses("a", "free")], { log, toolbox });
  expect(discarded).toMatchObject([{ content: [{ text: "ran free" }] }]);
});

test("no hook is told of the end of a call that was stopped", async () => {
  const heard: string[] = [];
  const hear = (name: string) => async () => (heard.push(name), {});
  const hooks = hooksWith({ PostToolUse: hear("ended"), PostToolUseFailure: hear("failed") });
  const toolbox = new ScriptedToolbox((_, { signal, progress }) => {
    progress("", 0);
    const { promise, resolve } = Promise.withResolvers<string>();
    signal.addEventListener("abort", () => resolve("half"));
    return promise;
  });
  const { log } = await run([uses("a", "free")], {
    hooks,
    toolbox,
    replies: { progress: { type: "stop" } },
  });
  expect(of(log.path, "result")).toHaveLength(1);
  expect(heard).toEqual([]);
});
