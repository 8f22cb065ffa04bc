/** Closing in the middle of something: what has arrived is in the log before `close` resolves. */

import { expect, test } from "bun:test";
import type { Agent } from "../../src/agent/agent.ts";
import { AsyncQueue } from "../../src/base/async-queue.ts";
import type { AgentCommand, Answer } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { askAbout } from "../questions.ts";
import { instantClock } from "../instant-clock.ts";
import { of, run, types, type RunOptions } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { says, type Scripted, ScriptedToolbox, uses } from "./scripted.ts";

/** Timers that never fire. */
const patient = { ...instantClock(), after: () => () => {} };

/**
 * Closes the agent at the first event for which `when` is true; returns the types of the log's
 * entries at that moment.
 */
async function closing(
  script: Scripted[],
  when: (event: AgentEvent) => boolean,
  options: RunOptions & { onClosed?(): void } = {},
) {
  const log = new MemoryLog();
  let closed: Promise<string[]> | undefined;
  const { events, model } = await run(script, {
    log,
    clock: patient,
    ...options,
    on: (event, send, agent: Agent, end) => {
      options.on?.(event, send, agent, end);
      if (closed === undefined && when(event))
        closed = agent.close().then(() => {
          const logged = types(log.path);
          options.onClosed?.();
          return logged;
        });
    },
  });
  return { log, events, model, closed: await closed };
}

test("during an answer: the partial answer is in the log", async () => {
  const script = [{ ...says("I will"), torn: "and th", hangs: true }];
  const isTorn = (event: AgentEvent) => event.type === "delta" && event.text === "and th";
  const { log, closed } = await closing(script, isTorn);
  expect(closed).toEqual(["session", "user", "assistant"]);
  const [partial] = of(log.path, "assistant");
  expect(partial).toMatchObject({ stop: "interrupted" });
  expect(partial?.content.at(-1)).toEqual({ type: "text", text: "and th" });
});

test("while a tool runs: its output so far is the result", async () => {
  const toolbox = new ScriptedToolbox(
    (_, { signal, progress }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("half the output"));
        progress("half", 4);
      }),
  );
  const { log, closed } = await closing([uses("a", "free")], (event) => event.type === "progress", {
    toolbox,
  });
  expect(closed).toEqual(["session", "user", "assistant", "result"]);
  expect(JSON.stringify(of(log.path, "result")[0]?.content)).toContain("half the output");
});

test("a title is kept, queued prompts are not started, and later commands are ignored", async () => {
  const { log, model, closed } = await closing(
    [{ torn: "one", hangs: true }, says("two")],
    (event) => event.type === "delta",
    {
      prompts: ["one", "two"],
      idles: 9,
      on: (event, send, _, end) => {
        if (event.type === "delta") {
          send({ type: "shell", command: "ls" });
          send({ type: "rename", title: "the first" });
        }
        if (event.type !== "idle") return;
        send({ type: "rename", title: "late" });
        setTimeout(end, 10);
      },
    },
  );
  expect(model.requests).toHaveLength(1);
  expect(closed?.slice(-2)).toEqual(["assistant", "note"]);
  expect(types(log.path)).toEqual(closed ?? []);
});

test("a tool that ignores the stop is abandoned after eight seconds", async () => {
  const waits: number[] = [];
  let release = (): void => {};
  const toolbox = new ScriptedToolbox((_, { progress }) => {
    progress("stuck", 5);
    return new Promise((resolve) => (release = () => resolve("late")));
  });
  const { closed } = await closing([uses("a", "free")], (event) => event.type === "progress", {
    toolbox,
    clock: instantClock(undefined, waits),
    onClosed: () => release(),
  });
  expect(waits).toEqual([8_000]);
  expect(closed).toEqual(["session", "user", "assistant"]);
});

test("a title that was given while the agent was loaded is kept", async () => {
  const { agent, log } = await run([says("done")], {
    agent: { boundaries: () => Bun.sleep(20).then(() => quietBoundaries) },
  });
  const commands = new AsyncQueue<AgentCommand>();
  const ended = Array.fromAsync(agent.run(commands));
  commands.push({ type: "rename", title: "the first" });
  await agent.close();
  expect(of(log.path, "note")).toMatchObject([{ kind: "title", text: "the first" }]);
  commands.close();
  await ended;
});

test("what was left running wrote belongs to its turn, is known before a rewind, and is in the log before the toolbox forgets it", async () => {
  const log = new MemoryLog();
  // Its entries are there a moment later, as on a disk.
  log.before = () => new Promise(setImmediate);
  const file = (path: string) => [{ path, before: null, after: "a".repeat(64) }];
  const written = [file("/w/turn"), file("/w/rewind")];
  const forgotten: number[] = [];
  const toolbox = Object.assign(new ScriptedToolbox(), {
    settle: async () => ({ files: written.shift() ?? [], told: [] }),
    logged: async () => void forgotten.push(of(log.entries, "checkpoint").length),
  });
  const next: AgentCommand[] = [{ type: "rewind", to: "e1", files: true, conversation: true }];
  await run([says("ok")], { log, toolbox, next });
  expect(forgotten).toEqual([1, 2]);
  expect(types(log.entries).slice(-4)).toEqual(["checkpoint", "checkpoint", "head", "note"]);
  const paths = of(log.entries, "checkpoint").map(({ files }) => files[0]?.path);
  expect(paths).toEqual(["/w/turn", "/w/rewind"]);
});

test.each<[string, (stop: AbortController, agent: Agent) => void]>([
  ["it is stopped", (stop) => stop.abort()],
  ["the agent closes", (_, agent) => void agent.close()],
])("the question of a subagent in the background is denied when %s", async (_, end) => {
  const stop = new AbortController();
  let answer: Promise<Answer> | undefined;
  const { agent, events } = await run([says("ok")], {
    idles: 9,
    on: (event, _send, self, finish) => {
      if (event.type === "idle") answer = self.ask(askAbout("ls", { id: "q" }), stop.signal);
      if (event.type === "ask") end(stop, self);
      if (event.type === "asked") finish();
    },
  });
  expect(await answer).toEqual({ allow: false });
  expect(events.slice(-2)).toMatchObject([{ type: "ask" }, { type: "asked", id: "q" }]);
  expect(await agent.ask(askAbout("ls"), AbortSignal.abort())).toEqual({ allow: false });
});
