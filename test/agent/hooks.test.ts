/** What hooks may change in a turn. */

import { expect, test } from "bun:test";
import { blockText, type ToolUseBlock } from "../../src/protocol/block.ts";
import { contextFact } from "../../src/protocol/context-fact.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { HookHandler } from "../../src/extensions/hooks/registry.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { ending, of, prompt, run } from "./harness.ts";
import { says, ScriptedToolbox } from "./scripted.ts";

const calls = (name: string, id = "t1"): ToolUseBlock => {
  return { type: "tool_use", id, name, input: { command: "ls" } };
};
const results = (entries: Parameters<typeof of>[0]) =>
  of(entries, "result").map(({ content }) => blockText(content));
const allow = { permission: { decision: "allow" as const, reason: "" } };

/** A turn with a call of this tool, under these hooks. */
const called = (
  name: string,
  hooks: Parameters<typeof hooksWith>[0],
  more: Partial<Parameters<typeof run>[1]> = {},
) => run([{ blocks: [calls(name)] }, says("ok")], { hooks: hooksWith(hooks), ...more });

test("what PreToolUse says follows the result, and it may end the turn", async () => {
  const spoken = await called("read", { PreToolUse: async () => ({ context: "Mind the gap." }) });
  expect(spoken.logged).toEndWith("result context assistant");
  expect(spoken.sent).toContain("Mind the gap.");
  const ended = await called("read", { PreToolUse: async () => ({ stop: "enough" }) });
  expect(ended.toolbox.ran).toEqual([]);
  expect(ended.model.left).toBe(1);
  expect(ended.events).toContainEqual({ type: "denied", toolUse: "t1" });
  expect(ended.notes).toContain("A hook ended the turn: enough");
});

test("PreToolUse answers the question, or asks where nothing would", async () => {
  const free = await called("write", { PreToolUse: async () => allow });
  expect(free.toolbox.ran).toEqual(["t1"]);
  const ask = { permission: { decision: "ask" as const, reason: "sure?" } };
  const answer = { allow: false } as const;
  const asked = await called("read", { PreToolUse: async () => ask }, { answer });
  expect(asked.events).toContainEqual({
    type: "ask",
    ask: expect.objectContaining({
      warning: "A hook asks you to decide: sure?",
      detail: '{\n  "command": "ls"\n}',
    }),
  });
  expect(asked.toolbox.ran).toEqual([]);
  // What is asked about anyway keeps its own question.
  const twice = await called("write", { PreToolUse: async () => ask }, { answer });
  const questions = twice.events.flatMap((event) => (event.type === "ask" ? [event.ask] : []));
  expect(questions).toMatchObject([{ title: "write", detail: "" }]);
});

test("a hook of the project allows no call that always asks, as the user's own hooks may", async () => {
  const ran = async (isProject: boolean) => {
    const hooks = hooksWith();
    const by = { source: "settings", name: "h", isProject };
    hooks.register("PreToolUse", undefined, async () => allow, by);
    const blocks = [calls("read", "t0"), calls("write"), calls("always", "t2")];
    return (await run([{ blocks }, says("ok")], { hooks, answer: { allow: false } })).toolbox.ran;
  };
  expect(await ran(true)).toEqual(["t0", "t1"]);
  expect(await ran(false)).toEqual(["t0", "t1", "t2"]);
});

test("PermissionRequest answers for the user, and may change the input", async () => {
  const ran: unknown[] = [];
  const toolbox = new ScriptedToolbox(async ({ input }) => {
    ran.push(input);
    return "done";
  });
  const PermissionRequest = async () => ({ ...allow, updatedInput: { command: "pwd" } });
  const { events } = await called("write", { PermissionRequest }, { toolbox });
  expect(ran).toEqual([{ command: "pwd" }]);
  const denied = await called("write", { PermissionRequest: async () => ({ block: "not now" }) });
  expect(results(denied.log.entries)).toEqual(["A hook blocked this call: not now"]);
  for (const { type } of [...events, ...denied.events]) expect(type).not.toBe("ask");
});

test("an input from PermissionRequest is checked by PreToolUse, too", async () => {
  const seen: unknown[] = [];
  const { toolbox, log } = await called("write", {
    PreToolUse: async ({ tool_input }) => {
      seen.push(tool_input);
      return tool_input["command"] === "evil" ? { block: "not that" } : {};
    },
    PermissionRequest: async () => ({ ...allow, updatedInput: { command: "evil" } }),
  });
  expect(seen).toEqual([calls("write").input, { command: "evil" }]);
  expect(toolbox.ran).toEqual([]);
  expect(results(log.entries)).toEqual(["A hook blocked this call: not that"]);
});

test("hooks are told about a failed call, and their output follows its result", async () => {
  const toolbox = new ScriptedToolbox();
  const runs = toolbox.run.bind(toolbox);
  toolbox.run = async (call, options) => ({ ...(await runs(call, options)), isError: true });
  const seen: unknown[] = [];
  const hooks: Parameters<typeof hooksWith>[0] = {
    PostToolUse: async () => ({ block: "never" }),
    PostToolUseFailure: async ({ tool_name, error }) => {
      seen.push([tool_name, error]);
      return { block: "try the other one" };
    },
  };
  const { log } = await called("read", hooks, { toolbox });
  expect(seen).toEqual([["read", "ran read"]]);
  expect(of(log.entries, "context")).toMatchObject([
    { title: "PostToolUseFailure hook", content: [{ text: "read: try the other one" }] },
  ]);
});

test("hooks get the text of a result and its file, or a command's output as Claude Code has it", async () => {
  const seen: unknown[] = [];
  // Another agent's name for the tool.
  const ownCall = (call: ToolUseBlock) => ({ ...call, name: call.name.replace("shell", "Bash") });
  const toolbox = Object.assign(new ScriptedToolbox(), { ownCall });
  toolbox.allowed.push("Bash", "shell");
  const read = { ...calls("read"), input: { file_path: "/w/a.txt" } };
  await run([{ blocks: [read] }, { blocks: [calls("shell")] }, says("ok")], {
    toolbox,
    hooks: hooksWith({
      PostToolUse: async ({ tool_response }) => (seen.push(tool_response), {}),
    }),
  });
  expect(seen).toEqual([
    { content: "ran read", filePath: "/w/a.txt" },
    { stdout: "ran Bash", stderr: "", interrupted: false, isImage: false },
  ]);
});

test("Notification hooks are told about a question, and about an idle agent", async () => {
  const heard: string[] = [];
  const hooks: Parameters<typeof hooksWith>[0] = {
    Notification: async ({ notification_type }) => (heard.push(notification_type), {}),
  };
  const { waits } = await called("write", hooks, { answer: { allow: true, scope: "once" } });
  expect(heard).toEqual(["permission_prompt", "idle_prompt"]);
  expect(waits).toContain(60_000);
});

test("the next prompt, or the end of the session, cancels the idle notification", async () => {
  let open = 0;
  // Its timers never fire.
  const after = () => (open++, () => void open--);
  const seen: number[] = [];
  const heard: string[] = [];
  await run([says("one"), says("two")], {
    clock: { ...systemClock, after },
    hooks: hooksWith({
      Notification: async ({ notification_type }) => (heard.push(notification_type), {}),
    }),
    next: [prompt("more")],
    on(event) {
      if (event.type === "phase" && event.phase === "starting") seen.push(open);
    },
  });
  await Bun.sleep(0);
  expect([seen, open, heard]).toEqual([[0, 0], 0, []]);
});

test("no hook overrides a rule that denies", async () => {
  const { log, toolbox } = await called("forbidden", { PreToolUse: async () => allow });
  expect(toolbox.ran).toEqual([]);
  expect(results(log.entries)).toEqual(["Not in plan mode."]);
});

test("a call is asked about and runs with a hook's input; the log keeps the model's", async () => {
  const ran: unknown[] = [];
  const toolbox = new ScriptedToolbox(async ({ input }) => {
    ran.push(input);
    return "done";
  });
  const PreToolUse = async () => ({ updatedInput: { command: "pwd" } });
  const { log, notes } = await called("read", { PreToolUse }, { toolbox });
  expect(ran).toEqual([{ command: "pwd" }]);
  expect(of(log.entries, "assistant")[0]?.content).toEqual([calls("read")]);
  expect(notes).toEqual(["A PreToolUse hook changed the input of read."]);
  const { events } = await called("write", { PreToolUse }, { answer: { allow: false } });
  const asked = events.flatMap((event) => (event.type === "ask" ? [event.ask.input] : []));
  expect(asked).toEqual([{ command: "pwd" }]);
});

test("the output of PostToolUse follows the results of all calls, instructions once", async () => {
  const fact = contextFact("instructions", "/w/a/AGENTS.md", "Use tabs.");
  const blocks = [calls("read", "a"), calls("free", "b")];
  const { log, logged, sent } = await run([{ blocks }, says("ok")], {
    hooks: hooksWith({
      PostToolUse: async ({ tool_name: name }) => ({ context: `${name} it`, facts: [fact] }),
    }),
  });
  expect(logged).toBe("session user assistant result result context context context assistant");
  expect(of(log.entries, "context")[0]).toMatchObject(fact);
  expect(sent).toContain("free it");
});

test("a prompt that UserPromptSubmit blocks is not sent; its context follows one that is", async () => {
  const blocked = await run([], {
    hooks: hooksWith({ UserPromptSubmit: async () => ({ block: "it holds a secret" }) }),
  });
  expect(ending(blocked.events)).toEqual({
    type: "idle",
    why: "failed",
    message: "Your message was not sent: it holds a secret",
  });
  expect(blocked.logged).toBe("session note");
  // The model sees the first 10,000 characters of it, and how many are left.
  const added = await run([says("ok")], {
    hooks: hooksWith({
      UserPromptSubmit: async ({ prompt }) => ({ context: prompt + "x".repeat(10_001) }),
    }),
  });
  expect(added.logged).toBe("session user context assistant");
  expect(of(added.log.entries, "context")[0]?.content).toEqual([
    { type: "text", text: `go${"x".repeat(9_998)}\n[3 more characters]` },
  ]);
});

test("a hook refuses one prompt; the other is sent", async () => {
  for (const refusal of [{ block: "No secrets." }, { stop: "No secrets." }]) {
    const { logged, notes, events } = await run([says("ok")], {
      prompts: ["go", "the key"],
      hooks: hooksWith({
        UserPromptSubmit: async ({ prompt: words }) => (words === "the key" ? refusal : {}),
      }),
    });
    expect(logged).toBe("session user note assistant");
    expect(notes).toEqual(["Your message was not sent: No secrets."]);
    // A prompt that a hook refused is not offered again.
    expect(events.filter(({ type }) => type === "unsent")).toEqual([]);
  }
});

test("Stop makes the agent continue, and is told so the next time; what it asked a model is noted", async () => {
  const active: boolean[] = [];
  const usage = { input: 9, cacheRead: 0, cacheWrite: 0, output: 1 };
  const judged = { text: "A Stop hook asked m: done?", spent: { model: "m", usage, usd: 0.5 } };
  const { model, log } = await run([says("one"), says("two")], {
    hooks: hooksWith({
      Stop: async ({ stop_hook_active, last_assistant_message }) => {
        active.push(stop_hook_active);
        if (stop_hook_active) return {};
        return { judged, block: `“${last_assistant_message}” is not enough` };
      },
    }),
  });
  expect(active).toEqual([false, true]);
  expect(model.left).toBe(0);
  const [said] = of(log.entries, "context");
  expect(said?.title).toBe("Stop hook");
  expect(of(log.entries, "note")).toMatchObject([{ kind: "info", ...judged }]);
  expect(JSON.stringify(said?.content)).toContain("“one” is not enough");
});

test("a Stop hook that always blocks is ended eventually", async () => {
  const script = Array.from({ length: 21 }, (_, index) => says(`${index}`));
  const { model, events } = await run(script, {
    hooks: hooksWith({ Stop: async () => ({ block: "more" }) }),
  });
  expect(model.left).toBe(0);
  expect(ending(events).why).toBe("done");
});

test("a Stop hook may end the turn for good, even if another one would continue it", async () => {
  const { model, notes, events } = await run([says("one"), says("two")], {
    hooks: hooksWith({ Stop: async () => ({ block: "more", stop: "enough" }) }),
  });
  expect(model.left).toBe(1);
  expect(notes).toEqual(["A hook ended the turn: enough"]);
  expect(ending(events).why).toBe("done");
});

test.each<Parameters<typeof hooksWith>[0]>([
  { PostToolUse: async ({ tool_name: name }) => (name === "read" ? { stop: "budget spent" } : {}) },
  { AfterTools: async () => ({ block: "budget spent" }) },
])(
  "a hook that ends the turn after a call does so once every call has its result",
  async (hooks) => {
    const blocks = [calls("read", "a"), calls("free", "b")];
    const { logged, notes, events } = await run([{ blocks }], { hooks: hooksWith(hooks) });
    expect(logged).toBe("session user assistant result result note");
    expect(notes).toEqual(["A hook ended the turn: budget spent"]);
    expect(ending(events).why).toBe("done");
  },
);

test("a slow hook on a message is stopped with it, after the agent has reported that it starts", async () => {
  const { notes, model, events } = await run([], {
    hooks: hooksWith({ UserPromptSubmit: () => new Promise(() => {}) }),
    replies: { phase: { type: "stop" } },
  });
  expect(model.requests).toEqual([]);
  expect(notes.at(-1)).toBe("Your message was not sent (stopped).");
  expect(events.filter(({ type }) => type === "unsent")).toEqual([
    { type: "unsent", messages: ["go"] },
  ]);
  expect(events.at(-1)).toEqual({ type: "idle", why: "stopped" });
});

test("every boundary runs its hooks; one that ends the turn at its start keeps compaction from cutting", async () => {
  const seen: string[] = [];
  const passed = await called("read", {
    BeforeCall: async ({ effective_tokens }) => (seen.push(`call ${effective_tokens > 0}`), {}),
    AfterTools: async ({ tool_calls }) => {
      seen.push(tool_calls.map(({ tool_name }) => tool_name).join());
      return { context: "Look around." };
    },
  });
  expect(seen).toEqual(["call true", "read", "call true"]);
  expect(passed.sent).toContain("Look around.");

  const compacting = { type: "phase", phase: "compacting" } as const;
  const boundaries = {
    async *turnStart() {
      yield compacting;
    },
  };
  const sizes: number[] = [];
  const TurnStart: HookHandler<"TurnStart"> = async ({ used_tokens, effective_tokens }) => {
    sizes.push(used_tokens, effective_tokens);
    return { stop: "not today" };
  };
  const ended = await called("read", { TurnStart }, { boundaries });
  expect(sizes[0]).toBeLessThan(100);
  expect(sizes[1]).toBeGreaterThan(50_000);
  expect(ended.notes).toEqual(["A hook ended the turn: not today"]);
  expect(ended.events).not.toContainEqual(compacting);
  expect(ended.model.left).toBe(2);
});
