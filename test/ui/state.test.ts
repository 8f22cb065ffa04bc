import { describe, expect, test } from "bun:test";
import fc from "../properties.ts";
import { askAbout } from "../questions.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { initialState, reduce, type ScreenState, withEntry } from "../../src/ui/state.ts";

const at = "2026-01-01T00:00:00.000Z";
const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };

/** A path of entries, each the child of the one before. */
function path(...facts: Fact[]): Entry[] {
  return facts.map((fact, index) => ({
    id: `e${index + 1}`,
    parent: index === 0 ? null : `e${index}`,
    at,
    ...fact,
  }));
}

const asks = (text: string, more: { midTurn?: true } = {}): Fact => ({
  type: "user",
  content: [{ type: "text", text }],
  ...more,
});

const says = (text: string): Fact => ({
  type: "assistant",
  content: [{ type: "text", text }],
  model: "m",
  usage,
  stop: "end_turn",
  sentAt: at,
});

const calls = (...ids: string[]): Fact => ({
  type: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: { command: id } })),
  model: "m",
  usage,
  stop: "tool_use",
  sentAt: at,
});

const gives = (toolUse: string): Fact => ({
  type: "result",
  toolUse,
  tool: "Bash",
  content: [{ type: "text", text: `result of ${toolUse}` }],
  bytes: 1,
  lines: 1,
});

const begin = initialState("m", "default");

const live = (state: ScreenState, ...events: AgentEvent[]): ScreenState =>
  events.reduce((now, event) => reduce(now, { type: "event", event, nowMs: 1_000 }), state);

const entries = (state: ScreenState, ...list: Entry[]): ScreenState =>
  live(state, ...list.map((entry) => ({ type: "entry", entry }) as const));

const seen = (state: ScreenState): string[] =>
  state.items.flatMap((item) => {
    if (item.kind === "turn") return [];
    if (item.kind === "tool") return `${item.call.id}:${item.result ? "done" : "open"}`;
    return item.kind === "text" ? item.text : item.kind;
  });

describe("entries become items", () => {
  test("a message in the middle of a turn keeps the turn's totals", () => {
    const state = entries(
      begin,
      ...path(asks("go"), calls("a"), gives("a"), asks("also", { midTurn: true }), says("done")),
    );
    const totals = state.items.find(({ kind }) => kind === "turn");
    expect(totals).toMatchObject({ toolCalls: 1, ms: expect.any(Number) });
    expect(totals?.kind === "turn" && totals.usages).toHaveLength(2);
  });

  test("a message after a turn that was stopped begins its own", () => {
    const state = entries(begin, ...path(asks("go"), calls("a"), gives("a"), asks("x"), says("y")));
    const totals = state.items.find(({ kind }) => kind === "turn");
    expect(totals).toMatchObject({ toolCalls: 0 });
  });

  test("results join their calls, in call order", () => {
    const state = entries(
      begin,
      ...path(asks("go"), calls("a", "b"), gives("b"), gives("a"), says("done")),
    );
    expect(seen(state)).toEqual(["user", "a:done", "b:done", "done"]);
    expect(state.openCalls.size).toBe(0);
    expect(state.lastAnswer).toBe("done");
  });

  test("a result without a call is a separate item", () => {
    expect(seen(entries(begin, ...path(gives("lost"))))).toEqual(["result"]);
  });

  test("a truncated answer says so", () => {
    const cut: Fact = { ...says("half"), type: "assistant", stop: "interrupted" } as Fact;
    expect(seen(entries(begin, ...path(cut)))).toEqual(["half", "stop"]);
  });

  test("a title is not an item", () => {
    const state = entries(begin, ...path({ type: "note", kind: "title", text: "The title" }));
    expect(state.title).toBe("The title");
    expect(seen(state)).toEqual([]);
  });
});

test("resumed equals live", () => {
  const fact = fc.oneof(
    fc.string().map(asks),
    fc.string().map(says),
    fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }).map((ids) => calls(...ids)),
    fc.constantFrom("a", "b", "c").map(gives),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 600 }), (facts) => {
      const all = path(...facts);
      const resumed = all.reduce(withEntry, begin);
      const followed = entries(begin, ...all);
      expect(seen(resumed)).toEqual(seen(followed));
      expect(resumed).toEqual(followed);
    }),
    { numRuns: 30 },
  );
});

describe("a rewind", () => {
  const first = path(asks("one"), says("1"), asks("two"), says("2"));
  const fork: Entry = { id: "e5", parent: "e2", at, ...asks("other") };

  test("returns to the given entry and continues from there", () => {
    const state = entries(begin, ...first, fork);
    expect(seen(state)).toEqual(["user", "1", "user"]);
    expect(state.path.map(({ id }) => id)).toEqual(["e1", "e2", "e5"]);
  });

  test("can be undone: the branch still exists", () => {
    const back: Entry = { id: "e6", parent: "e4", at, ...asks("again") };
    const state = entries(begin, ...first, fork, back);
    expect(seen(state)).toEqual(["user", "1", "user", "2", "user"]);
    expect(state.path.map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e4", "e6"]);
  });

  test("to the beginning leaves nothing", () => {
    const again: Entry = { id: "e5", parent: null, at, ...asks("anew") };
    expect(seen(entries(begin, ...first, again))).toEqual(["user"]);
  });

  test("reopens a call whose result is on the other branch", () => {
    const before = path(calls("a"), gives("a"));
    const note: Entry = { id: "e3", parent: "e1", at, type: "note", kind: "info", text: "x" };
    expect(seen(entries(begin, ...before, note))).toEqual(["a:open", "note"]);
  });
});

describe("live state", () => {
  const piece = (index: number, text: string): AgentEvent => ({
    type: "delta",
    index,
    kind: "text",
    text,
  });

  test("a streamed answer is replaced by its entry", () => {
    const waiting = live(begin, { type: "phase", phase: "waiting" });
    expect(waiting.phase).toBe("waiting");
    const growing = live(
      begin,
      { type: "phase", phase: "waiting" },
      piece(0, "Hel"),
      piece(0, "lo"),
    );
    expect(growing.phase).toBe("streaming");
    expect(growing.answer).toEqual([{ index: 0, kind: "text", text: "Hello" }]);
    expect(growing.liveChars).toBe(5);
    const [answer] = path(says("Hello"));
    if (!answer) throw new Error("no entry");
    const whole = entries(growing, answer);
    expect(whole.answer).toEqual([]);
    expect(seen(whole)).toEqual(["Hello"]);
  });

  test("discards a partial answer when the call starts again", () => {
    const reset = live(begin, piece(0, "half"), { type: "reset" });
    expect(reset).toMatchObject({ answer: [], liveChars: 0 });
  });

  test("a retry notice ends with the first delta", () => {
    const waiting = live(begin, {
      type: "retry",
      attempt: 1,
      of: 5,
      waitMs: 2_000,
      reason: "busy",
    });
    expect(waiting.retry?.untilMs).toBe(3_000);
    expect(live(waiting, piece(0, "a")).retry).toBeNull();
  });

  test("the output of a running tool is replaced by its result", () => {
    const all = path(calls("a"), gives("a"));
    const running = live(entries(begin, ...all.slice(0, 1)), {
      type: "progress",
      toolUse: "a",
      tail: "x",
      bytes: 1,
    });
    expect(running.running.get("a")?.tail).toBe("x");
    expect(entries(running, ...all.slice(1)).running.size).toBe(0);
  });

  test("is cleared at the end of a turn", () => {
    const ask: AgentEvent = {
      type: "ask",
      ask: {
        id: "1",
        toolUse: "a",
        tool: "Bash",
        title: "",
        detail: "",
        detailKind: "text",
        rule: "",
      },
    };
    const busy = live(begin, { type: "phase", phase: "tools" }, piece(0, "a"), ask);
    const idle = live(busy, { type: "idle", why: "stopped" });
    expect(idle).toEqual({ ...begin, idle: { why: "stopped", message: "" } });
  });

  test("the end of a turn withdraws its questions, but none from the background", () => {
    const own = askAbout("own");
    const other = askAbout("other", { id: "t2", inBackground: true });
    const asking = live(begin, { type: "ask", ask: own }, { type: "ask", ask: other });
    const idle = live(asking, { type: "idle", why: "done" });
    expect(idle.asks).toEqual([other]);
    expect(live(idle, { type: "asked", id: "t2" }).asks).toEqual([]);
  });
});
