/** A session in memory, a model with a script, and the boundaries between them. */

import { createTurnBoundaries } from "../../../src/agent/compaction/at-boundary.ts";
import { createAgent } from "../../../src/agent/agent.ts";
import { buildRequest } from "../../../src/context/request.ts";
import type { EntryOf, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { session as opening } from "../../context/summary/say.ts";
import { instantClock } from "../../instant-clock.ts";
import { of } from "../harness.ts";
import { MemoryLog } from "../memory-log.ts";
import { quietBoundaries } from "../quiet-boundaries.ts";
import { rules, ScriptedModel, ScriptedToolbox, text, type Scripted } from "../scripted.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";

type AgentOptions = Parameters<typeof createAgent>[0];
type Session = Parameters<AgentOptions["boundaries"]>[0];

/** The answer of a model that does what it was asked. */
export const goodSummary = (about = "the parser"): string =>
  `<analysis>thinking</analysis><summary>1. Intent: mend ${about}.\n2. Decisions: the lexer stays, since others need it.\n8. Next step: run the tests.</summary>`;

export const writes = (summary = goodSummary()): Scripted => ({ blocks: [text(summary)] });

export type World = Awaited<ReturnType<typeof world>>;

export type WorldOptions = {
  policy?: Partial<Policy>;
  rules?: Partial<ModelRules>;
  nowMs?: number;
  /** The log of a session to resume. */
  log?: MemoryLog;
  parts?: Partial<Omit<Parameters<typeof createTurnBoundaries>[0], "session" | "model">>;
  on?: (event: AgentEvent) => void;
};

export async function world(script: Scripted[], options: WorldOptions = {}) {
  const log = options.log ?? new MemoryLog();
  const own = { ...rules, ...options.rules };
  const policy: Policy = { ...defaultPolicy, ...options.policy };
  const nowMs = options.nowMs ?? Date.UTC(2026, 0, 2);
  const waits: number[] = [];
  const clock = instantClock(() => nowMs, waits);
  const model = new ScriptedModel(...script);
  const hooks = hooksWith();
  const { promise, resolve } = Promise.withResolvers<Session>();
  const agent = createAgent({
    log,
    policy,
    clock,
    rules: own,
    hooks,
    model,
    toolbox: new ScriptedToolbox(),
    boundaries: (session) => (resolve(session), quietBoundaries),
    opening: async () => [],
    rewindFiles: async () => ({ text: "", files: [] }),
  });
  await Array.fromAsync(agent.run((async function* () {})()));
  const session = await promise;
  const parts = { session, hooks, model, clock, readFile: async () => null };
  const boundaries = createTurnBoundaries({ ...parts, ...options.parts });
  const events: AgentEvent[] = [];
  /** Appends facts to the log. */
  async function add(...facts: Fact[]): Promise<void> {
    if (log.path.length === 0) await session.append(opening);
    for (const fact of facts) await session.append(fact);
  }
  /** Runs to the end. */
  async function run<R>(stream: AsyncGenerator<AgentEvent, R>): Promise<R> {
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      events.push(step.value);
      options.on?.(step.value);
    }
  }
  return {
    log,
    session,
    model,
    boundaries,
    events,
    waits,
    add,
    run,
    /** Requests a summary, as the user does. */
    async compact(focus?: string, signal = new AbortController().signal): Promise<void> {
      const command = { type: "compact", how: "summarize", trigger: "command" } as const;
      await run(boundaries.compact(focus ? { ...command, focus } : command, signal));
    },
    /** The latest cut in effect. */
    cut(): EntryOf<"cut"> {
      const cut = session.view.cuts.at(-1);
      if (!cut) throw new Error("Nothing was cut.");
      return cut;
    },
    /** The next request to the model. */
    sees: () =>
      buildRequest(session.view, session.rules, policy)
        .messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`)
        .join("\n"),
  };
}

export const notes = (log: MemoryLog): string[] => of(log.entries, "note").map(({ text }) => text);

export const steps = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === "compaction" ? [event.state.step] : []));

export const failures = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === "compaction" && event.state.step === "failed" ? [event.state.message] : [],
  );
