/** The loop within one process: what is called, what is logged, what is reported. */

import { expect, test } from "bun:test";
import type { TurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";
import { ModelError } from "../../src/model/client.ts";
import type { AgentCommand, Answer } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Review } from "../../src/tools/tool.ts";
import { of, prompt, run, types } from "./harness.ts";
import {
  says,
  type Scripted,
  ScriptedModel,
  ScriptedToolbox,
  text,
  use,
  uses,
} from "./scripted.ts";

const freesSpace: Partial<TurnBoundaries> = {
  async *tooLong() {
    yield* [];
    return true;
  },
};

test("read-only calls run concurrently, the others one after another", async () => {
  const all = Promise.withResolvers<void>();
  let running = 0;
  const toolbox = new ScriptedToolbox(async (call) => {
    if (++running === 3) all.resolve();
    if (call.name === "read") await all.promise;
    else expect(running).toBe(1);
    running--;
    return call.id;
  });
  const reads = ["a", "b", "c"].map((id) => use(id, "read"));
  const blocks = [...reads, use("d", "free"), use("e", "free")];
  const { log } = await run([{ blocks }, says("done")], { toolbox });
  const results = of(log.path, "result").map(({ toolUse }) => toolUse);
  expect(results.sort().join("")).toBe("abcde");
});

test("a call runs once allowed; allowed for the session, it does not ask again", async () => {
  const { log, toolbox, events } = await run([uses("a", "write"), uses("b", "write"), says("ok")], {
    answer: { allow: true, scope: "session" },
  });
  expect(toolbox.ran).toEqual(["a", "b"]);
  expect(of(log.path, "note").map((note) => note.text)).toEqual(["allowed (session): write"]);
  expect(questions(events)).toMatchObject([{ ask: { id: "a" } }, { id: "a" }]);
});

const questions = (events: readonly AgentEvent[]) =>
  events.filter(({ type }) => type === "ask" || type === "asked");

test("what a running call asks is asked like any question", async () => {
  const toolbox = new ScriptedToolbox(async ({ id }, { ask }) => {
    const question = { title: "go on?", detail: "", detailKind: "text", rule: null } as const;
    return JSON.stringify(await ask({ id: "q1", toolUse: id, tool: "Agent", ...question }));
  });
  const { log, events } = await run([uses("a", "read"), says("ok")], {
    toolbox,
    answer: { allow: false, reason: "no" },
  });
  expect(questions(events)).toMatchObject([{ ask: { id: "q1" } }, { id: "q1" }]);
  expect(of(log.path, "result")[0]?.content).toMatchObject([
    { text: '{"allow":false,"reason":"no"}' },
  ]);
  toolbox.mode = "dont-ask";
  const never = await run([uses("a", "read"), says("ok")], { toolbox });
  expect(questions(never.events)).toEqual([]);
  expect(never.sent).toContain("false");
});

test("a call that the user changed runs as changed, unless a rule denies that", async () => {
  const inputs: unknown[] = [];
  const changed = { path: "b" };
  const toolbox = new ScriptedToolbox(async ({ input }) => {
    inputs.push(input);
    return "ran";
  });
  const review = toolbox.review.bind(toolbox);
  const script = [uses("a", "write"), says("ok")];
  const answer: Answer = { allow: true, scope: "once", input: changed };
  await run(script, { toolbox, answer });
  expect(inputs).toEqual([changed]);
  toolbox.review = async (call) =>
    call.input === changed ? { verdict: "refuse", reason: "A rule denies it." } : review(call);
  const again = Array.from({ length: 5 }, (_, at) => uses(`t${at}`, "write"));
  const { sent, model } = await run([...again, says("ok")], { toolbox, answer });
  expect(inputs).toEqual([changed]);
  expect(sent).toContain("A rule denies it.");
  expect(model.left).toBe(2);
});

test("a rule that cannot be saved is reported, and the call runs", async () => {
  const toolbox = new ScriptedToolbox();
  toolbox.allowForSession = () => {
    throw new Error("The settings cannot be written.");
  };
  const answer = { allow: true, scope: "always" } as const;
  const { notes } = await run([uses("a", "write"), says("ok")], { toolbox, answer });
  expect(toolbox.ran).toEqual(["a"]);
  expect(notes).toContain("The settings cannot be written.");
});

test("Esc keeps the partial answer, marked as such, and answers its open calls", async () => {
  const { log, events, model } = await run(
    [{ blocks: [text("I will"), use("a", "read")], torn: "and th", hangs: true }, says("yes?")],
    {
      next: [prompt("again")],
      on: (event, send) => {
        if (event.type === "delta" && event.text === "and th") send({ type: "stop" });
      },
    },
  );
  const [partial] = of(log.path, "assistant");
  expect(partial?.stop).toBe("interrupted");
  expect(partial?.content.at(-1)).toEqual({ type: "text", text: "and th" });
  expect(of(log.path, "result")[0]).toMatchObject({ toolUse: "a", isError: true });
  expect(events.find((event) => event.type === "idle")).toMatchObject({ why: "stopped" });
  expect(model.requests).toHaveLength(2);
});

test("an unfinished text keeps its place before the call that follows it", async () => {
  const model = new ScriptedModel();
  model.stream = async function* () {
    yield { type: "delta", index: 0, kind: "text", text: "I will" };
    yield { type: "block", index: 1, block: use("a", "read") };
    throw new ModelError("auth", "No.");
  };
  const { log } = await run([], { agent: { model } });
  expect(of(log.path, "assistant")[0]?.content).toEqual([text("I will"), use("a", "read")]);
});

test("Esc while a question is open: the call is answered as interrupted, nothing runs", async () => {
  const { log, toolbox } = await run([{ blocks: [use("a", "write"), use("b", "read")] }], {
    replies: { ask: { type: "stop" } },
  });
  expect(toolbox.ran).toEqual([]);
  expect(of(log.path, "result").map((entry) => entry.toolUse)).toEqual(["a", "b"]);
});

test("a message typed meanwhile is queued and sent after the current step", async () => {
  const { log, logged, events } = await run([uses("a", "free"), says("ok")], {
    on: (event, send) => {
      if (event.type !== "phase" || event.phase !== "tools") return;
      send(prompt("also this", { uuid: "u1" }));
      send(prompt("made of it", { typed: "/init" }));
    },
  });
  expect(logged).toBe("session user assistant result user user assistant");
  expect(of(log.path, "user").map(({ midTurn, uuid, typed }) => [midTurn, uuid, typed])).toEqual([
    [undefined, undefined, undefined],
    [true, "u1", undefined],
    [true, undefined, "/init"],
  ]);
  expect(events).toContainEqual({ type: "queue", waiting: ["also this", "/init"] });
  expect(events).toContainEqual({ type: "queue", waiting: [] });
});

test("a broken answer leaves the screen, and the call starts over after a visible wait; what arrived stays in the log", async () => {
  const lost = new ModelError("busy", "lost");
  const { log, events, waits, model } = await run([
    { torn: " \n", error: new ModelError("busy", "Overloaded", { retryAfterMs: 1234 }) },
    { torn: "half an ans", error: lost },
    { ...says("whole"), torn: "half", ends: true },
    { torn: "hm", tornKind: "thinking", error: lost },
    says("done"),
  ]);
  expect(waits).toEqual([1234, 2000, 4000, 8000]);
  expect(events.filter((event) => event.type === "retry")).toHaveLength(4);
  expect(of(log.path, "assistant").map(({ stop, content }) => [stop, content])).toEqual([
    ["failed", [text("half an ans")]],
    ["failed", [text("whole"), text("half")]],
    ["end_turn", [text("done")]],
  ]);
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  expect(of(log.path, "assistant")[0]?.usage).toEqual(none);
  expect(model.requests.at(-1)?.messages).toEqual(model.requests[0]?.messages ?? []);
  // An unfinished thought is in no entry, so only this event removes it from the screen.
  const steps = events.map((event) => (event.type === "delta" ? event.text : event.type));
  expect(steps.slice(steps.indexOf("hm")).join(" ")).toBe("hm reset retry phase done entry idle");
});

test.each([
  ["that a retry cannot fix", new ModelError("auth", "No.")],
  ["of another kind", new Error("No.")],
])("an error %s ends the turn with its message, and the session continues", async (_, error) => {
  const { log, events } = await run([{ error }, says("fine")], { next: [prompt("again")] });
  expect(of(log.entries, "note")).toMatchObject([{ kind: "error", text: "No." }]);
  expect(events.filter(({ type }) => type === "idle")).toEqual([
    { type: "idle", why: "failed", message: "No.", apiError: { status: null } },
    { type: "idle", why: "done" },
  ]);
});

test("a server that stays busy: after three attempts another model takes over for good", async () => {
  const busy = { error: new ModelError("busy", "Overloaded") };
  const script = [busy, busy, busy, uses("a", "read"), says("ok")];
  const { log, model, waits } = await run(script, { agent: { fallbackModel: "small" } });
  expect(waits).toHaveLength(2);
  expect(of(log.path, "model").map((entry) => entry.model)).toEqual(["small"]);
  const models = model.requests.map((request) => request.model);
  expect(models.join(" ")).toBe("scripted scripted scripted small small");
});

test("a turn whose last call reaches the limit is done; one that would continue has failed", async () => {
  const script = [uses("t1", "read"), says("done")];
  const limited = async (maxCalls: number) =>
    (await run(script, { agent: { limits: { maxCalls } } })).events.at(-1);
  expect(await limited(2)).toEqual({ type: "idle", why: "done" });
  expect(await limited(1)).toMatchObject({ type: "idle", why: "failed", limit: "turns" });
});

test.each([
  ["pause_turn", 11],
  ["max_tokens", 4],
  ["model_context_window_exceeded", 4],
] as const)(
  "a turn whose answers all end with %s is continued, up to answer %d",
  async (stop, most) => {
    const answers = (count: number) =>
      Array.from({ length: count }, () => ({ ...says("hm"), stop }));
    const whole = await run([...answers(most - 1), says("ok")], {
      boundaries: freesSpace,
    });
    expect(whole.events.at(-1)).toEqual({ type: "idle", why: "done" });
    expect(whole.model.requests.at(-1)?.messages.at(-1)?.role).toBe("user");
    const endless = await run(answers(most + 1), { boundaries: freesSpace });
    expect(endless.events.at(-1)).toMatchObject({ type: "idle", why: "failed" });
    expect(endless.model.left).toBe(1);
  },
);

test("a failure before a call is noted; the prompt is answered anyway", async () => {
  let times = 0;
  const announcements = async () => {
    if (times++ === 0) throw new Error("kaboom");
    return [];
  };
  const { log, logged, events } = await run([says("fine")], { idles: 2, agent: { announcements } });
  expect(logged).toBe("session note user assistant");
  expect(of(log.path, "note")).toMatchObject([{ kind: "error", text: "kaboom" }]);
  expect(events.filter(({ type }) => type === "idle")).toEqual([
    { type: "idle", why: "failed", message: "kaboom" },
    { type: "idle", why: "done" },
  ]);
});

test("a new permission mode is announced to the model once, before the next prompt", async () => {
  const answers = ["one", "two", "three"].map(says);
  const read = { name: "read", description: "", input_schema: { type: "object" } };
  const toolbox = Object.assign(new ScriptedToolbox(), { definitions: [read] });
  let idles = 0;
  const { log } = await run(answers, {
    toolbox,
    idles: 3,
    on: (event, send) => {
      if (event.type !== "idle" || ++idles > 2) return;
      if (idles === 1) send({ type: "mode", mode: "plan" });
      send(prompt("next"));
    },
  });
  const announced = of(log.path, "context").filter(({ kind }) => kind === "mode");
  expect(announced.map(({ title }) => title)).toEqual(["plan"]);
  // These tools have none with which a plan is submitted.
  expect(JSON.stringify(announced)).toContain("then answer, and describe changes");
  expect(types(log.path).slice(3, 5)).toEqual(["context", "user"]);
});

test("a write is reviewed after the reads before it have run", async () => {
  const seen = new Set<string>();
  class Careful extends ScriptedToolbox {
    override async review(call: ToolUseBlock): Promise<Review> {
      if (call.name === "read" || seen.has("a")) return super.review(call);
      return { verdict: "refuse", reason: "Read it first." };
    }
  }
  const toolbox = new Careful(async ({ id }) => {
    seen.add(id);
    return "ok";
  });
  const { log } = await run([{ blocks: [use("a", "read"), use("b", "free")] }, says("done")], {
    toolbox,
  });
  expect(of(log.path, "result").map(({ isError }) => isError)).toEqual([undefined, undefined]);
});

test("the cost of an interrupted or stopped answer is logged, its output estimated", async () => {
  const cost = { input: 90, cacheRead: 7, cacheWrite: 3, output: 1 };
  const { log } = await run(
    [
      { cost, torn: "x".repeat(400), error: new ModelError("busy", "lost") },
      { cost, error: new ModelError("busy", "lost") },
      { cost, torn: "half", hangs: true },
    ],
    {
      on: (event, send) =>
        event.type === "delta" && event.text === "half" && send({ type: "stop" }),
    },
  );
  expect(of(log.path, "assistant").map(({ stop, usage }) => [stop, usage])).toEqual([
    ["failed", { ...cost, output: 100 }],
    ["failed", cost],
    ["interrupted", cost],
  ]);
});

const tooLong: Scripted = { error: new ModelError("too-long", "prompt is too long") };

test("only consecutive prompts that were cut to fit count against the turn", async () => {
  const script = Array.from({ length: 5 }, (_, n) => [tooLong, uses(`t${n}`, "read")]);
  const fine = await run([...script.flat(), says("done")], { boundaries: freesSpace });
  expect(fine.events.at(-1)).toEqual({ type: "idle", why: "done" });
  const never = await run([tooLong, tooLong, tooLong, tooLong], { boundaries: freesSpace });
  expect(never.events.at(-1)).toMatchObject({ why: "failed", message: "prompt is too long" });
  expect(never.model.left).toBe(0);
});

test("a request with too many bytes is cut where it is large, as a proxy refuses any", async () => {
  const ends = async (words: string, more: ConstructorParameters<typeof ModelError>[2] = {}) => {
    const error = new ModelError("too-long", "Too large.", { status: 413, ...more });
    const options = { prompts: [words], boundaries: freesSpace };
    return (await run([{ error }, says("done")], options)).events.at(-1);
  };
  expect(await ends("x".repeat(120_000))).toMatchObject({ why: "done" });
  expect(await ends("go")).toMatchObject({ why: "failed", message: "Too large." });
  expect(await ends("go", { sizes: { tokens: 9, limit: 5 } })).toMatchObject({ why: "done" });
});

test("every boundary of a turn is passed, in order, and its end before it has ended", async () => {
  const passed: string[] = [];
  const pass = (name: string) =>
    async function* () {
      passed.push(name);
      await Bun.sleep(0);
      yield { type: "phase", phase: "compacting" } as const;
    };
  const names = ["turnStart", "beforeCall", "afterTools", "turnEnd"];
  const boundaries = Object.fromEntries(names.map((name) => [name, pass(name)]));
  const { events } = await run([uses("t1", "read"), says("done")], { boundaries });
  expect(passed).toEqual(["turnStart", "beforeCall", "afterTools", "beforeCall", "turnEnd"]);
  expect(events.slice(-2)).toMatchObject([{ phase: "compacting" }, { type: "idle" }]);
});

test("a stop before a call ends the turn without it", async () => {
  const { events, model } = await run([says("ok")], {
    boundaries: {
      beforeCall: async function* () {
        yield { type: "phase", phase: "compacting" };
        await new Promise(setImmediate);
      },
    },
    on: (event, send) => {
      if (event.type === "phase" && event.phase === "compacting") send({ type: "stop" });
    },
  });
  expect(events.at(-1)).toEqual({ type: "idle", why: "stopped" });
  expect(model.requests).toEqual([]);
});

test("an error in the stream of commands ends the run with it", async () => {
  const { agent } = await run([says("ok")]);
  async function* commands(): AsyncGenerator<AgentCommand> {
    yield* [];
    throw new Error("gone");
  }
  await expect(Array.fromAsync(agent.run(commands()))).rejects.toThrow("gone");
});

test("an agent that was closed calls no model", async () => {
  const { agent, model } = await run([says("ok"), says("late")]);
  await agent.close();
  const late = agent.run(
    (async function* () {
      yield prompt("Go on.");
    })(),
  );
  expect([await Array.fromAsync(late), model.left]).toEqual([[], 1]);
});
