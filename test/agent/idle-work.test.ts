/** The server counts tokens while the agent is idle: the count goes into the log and delays nothing. */

import { expect, test } from "bun:test";
import { IdleWork } from "../../src/agent/idle-work.ts";
import { Session } from "../../src/agent/session.ts";
import { buildRequest } from "../../src/context/request.ts";
import { ModelError } from "../../src/model/failures.ts";
import { project } from "../../src/context/view/view.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRequest } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { says, user } from "../context/summary/say.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { instantClock } from "../instant-clock.ts";
import { MemoryLog } from "./memory-log.ts";
import { of, prompt, run } from "./harness.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { rules, ScriptedModel, text } from "./scripted.ts";

class CountingModel extends ScriptedModel {
  readonly counted: ModelRequest[] = [];
  readonly #answer: (signal: AbortSignal) => Promise<number>;

  constructor(answer: (signal: AbortSignal) => Promise<number>) {
    super();
    this.#answer = answer;
  }

  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    this.counted.push(request);
    return this.#answer(signal);
  }
}

/** A session that ends with an answer whose text no call has counted yet. */
async function openSession(): Promise<Session> {
  const session = new Session(
    new MemoryLog(),
    defaultPolicy,
    { ...rules, countsTokens: true },
    () => 0,
  );
  await session.append({
    type: "session",
    version: 1,
    session: "s",
    cwd: "/w",
    model: "scripted",
    system: "be good",
    tools: [],
  });
  await session.append(user("word ".repeat(4_000)));
  await session.append(says("done"));
  return session;
}

async function count(session: Session, model: CountingModel, times = 1): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const idle = new IdleWork({
    session,
    model,
    hooks: hooksWith(),
    clock: instantClock(),
    boundaries: quietBoundaries,
  });
  for (let time = 0; time < times; time++) {
    idle.start((event) => events.push(event));
    await Bun.sleep(0);
  }
  await idle.stop();
  return events;
}

test("the meter shows the server's count, live and from the log", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const model = new CountingModel(() => Promise.resolve(7_777 + 5));
  expect(session.reading.errorTokens).toBeGreaterThan(200);
  const events = await count(session, model);
  expect(events.map(({ type }) => type)).toEqual(["entry"]);
  expect(session.reading.usedTokens).toBe(7_777);
  expect(session.reading.errorTokens).toBe(0);
  const resumed = measure(project(session.log.path), session.rules, defaultPolicy, 0);
  expect(resumed.usedTokens).toBe(7_777);
});

test("the counted request is the next one, ending with a user message", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const model = new CountingModel(() => Promise.resolve(9_000));
  await count(session, model);
  const [counted] = model.counted;
  const next = buildRequest(session.view, session.rules, defaultPolicy);
  expect(counted?.system).toEqual(next.system);
  expect(counted?.tools).toEqual(next.tools);
  expect(counted?.messages.length).toBe(next.messages.length);
  expect(counted?.messages.at(-1)?.role).toBe("user");
  expect(counted?.messages.at(-1)?.content.length).toBe(2);
});

test("nothing is counted if the count is known or the server cannot count", async () => {
  const session = await openSession();
  const model = new CountingModel(() => Promise.resolve(9_000));
  await session.append({ type: "count", tokens: 5_000 });
  await count(session, model);
  await session.append(user("more ".repeat(3_000)));
  session.rules = { ...session.rules, countsTokens: false };
  await count(session, model);
  expect(model.counted).toEqual([]);
});

test("a count of zero is ignored", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const beside = 5;
  const model = new CountingModel(() => Promise.resolve(beside));
  expect(await count(session, model)).toEqual([]);
  expect(model.counted).toHaveLength(1);
  const least = new CountingModel(() => Promise.resolve(beside + 1));
  expect(await count(session, least)).toHaveLength(1);
});

test("a new prompt does not wait for the count, and an aborted count leaves no trace", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const entries = session.log.path.length;
  const never = new CountingModel(
    (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new ModelError("aborted", "stopped"))),
      ),
  );
  expect(await count(session, never)).toEqual([]);
  expect(session.log.path.length).toBe(entries);
});

test("an answer that comes too late, or counts nothing, is not used", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const { path } = session.log;
  const entries = path.length;
  const late = new CountingModel(
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(9_000))),
  );
  expect(await count(session, late)).toEqual([]);
  const nothing = new CountingModel(() => Promise.resolve(0));
  expect(await count(session, nothing)).toEqual([]);
  expect(path.length).toBe(entries);
});

test("a server that refuses to count is asked once; an unreachable one is asked again", async () => {
  const session = await openSession();
  await session.append(user("more ".repeat(3_000)));
  const refusing = new CountingModel(() => Promise.reject(new ModelError("invalid", "no")));
  await count(session, refusing, 3);
  expect(refusing.counted.length).toBe(1);
  const away = new CountingModel(() => Promise.reject(new ModelError("unreachable", "no")));
  await count(session, away, 3);
  expect(away.counted.length).toBe(3);
});

test("an idle agent has the server count, and stops that for the next prompt", async () => {
  let counted = 0;
  const { log } = await run(
    [{ error: new ModelError("invalid", "no") }, { blocks: [text("ok")] }],
    {
      prompts: ["word ".repeat(4_000)],
      rules: { countsTokens: true },
      countTokens: async () => (counted++, 9_000),
      idles: 2,
      on: (event, send) => {
        if (event.type === "entry" && event.entry.type === "count") send(prompt("again"));
      },
    },
  );
  expect(counted).toBe(1);
  expect(of(log.path, "count")).toHaveLength(1);
});

/** A log whose disk is slow to store a count. */
class SlowLog extends MemoryLog {
  onCount = (): void => {};

  override async append(...args: Parameters<MemoryLog["append"]>) {
    const entry = await super.append(...args);
    if (entry.type !== "count") return entry;
    this.onCount();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return entry;
  }
}

test("a count that is being written is reported before what comes next", async () => {
  for (const next of ["prompt", "end"]) {
    const log = new SlowLog();
    const { events } = await run(
      [{ error: new ModelError("invalid", "no") }, { blocks: [text("ok")] }],
      {
        log,
        prompts: ["word ".repeat(4_000)],
        rules: { countsTokens: true },
        countTokens: async () => 9_000,
        idles: 2,
        on: (_event, send, _agent, end) => {
          log.onCount = () => (next === "prompt" ? send(prompt("again")) : end());
        },
      },
    );
    const idle = events.findIndex(({ type }) => type === "idle");
    const types = events
      .slice(idle + 1)
      .filter(({ type }) => type !== "phase")
      .slice(0, 2)
      .map((event) => (event.type === "entry" ? event.entry.type : event.type));
    expect(types).toEqual(next === "prompt" ? ["count", "user"] : ["count"]);
  }
});
