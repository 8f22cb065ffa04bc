/** Entries and events become the state of the screen. */

import { describe, expect, test } from "bun:test";
import fc from "../properties.ts";
import { askAbout } from "../questions.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { Builder, call, say } from "../context/build.ts";
import { answer, at, makeReport } from "../facts.ts";
import { stage } from "./stage.ts";

const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };

const asks = (text: string, more: { midTurn?: true } = {}): Fact => ({
  type: "user",
  content: [say(text)],
  ...more,
});

const says = (text: string, stop: "end_turn" | "interrupted" = "end_turn"): Fact =>
  answer(usage, [say(text)], { stop });

const calls = (...ids: string[]): Fact =>
  answer(
    usage,
    ids.map((id) => call(id)),
    { stop: "tool_use" },
  );

const gives = (toolUse: string): Fact =>
  makeReport({ toolUse, tool: "Read", content: [say(`result of ${toolUse}`)] });

/** A session of these facts, as `e2`, `e3` and so on. */
function session(...facts: Fact[]): Builder {
  const built = new Builder();
  for (const fact of facts) built.add(fact);
  return built;
}

/** The screen of a new session that these facts and events are told of one by one. */
function follow(...facts: Fact[]) {
  const on = stage(new Builder());
  const { store } = on;
  const tell = (...events: AgentEvent[]) => {
    for (const event of events) store.take(event);
    return store.state;
  };
  const add = (entry: Entry) => {
    on.entries.push(entry);
    return tell({ type: "entry", entry });
  };
  for (const entry of session(...facts).path.slice(1)) add(entry);
  const seen = (): string[] =>
    [...store.state.items].flatMap((item) => {
      if (item.kind === "turn") return [];
      if (item.kind === "tool") return `${item.call.id}:${item.result ? "done" : "open"}`;
      return item.kind === "text" ? item.text : item.kind;
    });
  const branch = (id: string, parent: string | null, fact: Fact) =>
    add({ id, parent, at, ...fact });
  return { store, tell, seen, branch };
}

describe("entries become items", () => {
  test("a message in the middle of a turn keeps the turn's totals", () => {
    const { store } = follow(
      asks("go"),
      calls("a"),
      gives("a"),
      asks("also", { midTurn: true }),
      says("done"),
    );
    const totals = [...store.state.items].find(({ kind }) => kind === "turn");
    expect(totals).toMatchObject({ toolCalls: 1, ms: expect.any(Number) });
    expect(totals?.kind === "turn" && totals.usages).toHaveLength(2);
  });

  test("a message after a turn that was stopped begins its own", () => {
    const { store } = follow(asks("go"), calls("a"), gives("a"), asks("x"), says("y"));
    const totals = [...store.state.items].find(({ kind }) => kind === "turn");
    expect(totals).toMatchObject({ toolCalls: 0 });
  });

  test("results join their calls, in call order; one without a call is a separate item", () => {
    const on = follow(asks("go"), calls("a", "b"), gives("b"), gives("a"), says("x"), gives("c"));
    expect(on.seen()).toEqual(["user", "a:done", "b:done", "x", "result"]);
    expect(on.store.state.openCalls.size).toBe(0);
    expect(on.store.state.lastAnswer).toBe("x");
  });

  test("a truncated answer says so; a title is not an item", () => {
    const on = follow(says("half", "interrupted"), { type: "note", kind: "title", text: "Title" });
    expect(on.seen()).toEqual(["half", "stop"]);
    expect(on.store.state.title).toBe("Title");
  });
});

test("resumed equals live", () => {
  const fact = fc.oneof(
    fc.string().map(asks),
    fc.string().map((text) => says(text)),
    fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }).map((ids) => calls(...ids)),
    fc.constantFrom("a", "b", "c").map(gives),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 600 }), (facts) => {
      const resumed = stage(session(...facts)).store.state;
      expect(resumed).toEqual(follow(...facts).store.state);
    }),
    { numRuns: 20 },
  );
});

describe("a rewind", () => {
  const first = [asks("one"), says("1"), asks("two"), says("2")];

  test("returns to the given entry, and can be undone: the branch still exists", () => {
    const on = follow(...first);
    on.branch("e6", "e3", asks("other"));
    expect(on.seen()).toEqual(["user", "1", "user"]);
    expect(on.store.state.path.map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e6"]);
    on.branch("e7", "e5", asks("again"));
    expect(on.seen()).toEqual(["user", "1", "user", "2", "user"]);
  });

  test("to the beginning leaves nothing", () => {
    const on = follow(...first);
    on.branch("e6", null, asks("anew"));
    expect(on.seen()).toEqual(["user"]);
  });

  test("reopens a call whose result is on the other branch", () => {
    const on = follow(calls("a"), gives("a"));
    on.branch("e4", "e2", { type: "note", kind: "info", text: "x" });
    expect(on.seen()).toEqual(["a:open", "note"]);
  });
});

describe("live state", () => {
  const piece = (text: string): AgentEvent => ({ type: "delta", index: 0, kind: "text", text });
  const nextEntry = (...facts: Fact[]): AgentEvent => {
    const entry = session(...facts).path.at(-1);
    if (!entry) throw new Error("no entry");
    return { type: "entry", entry };
  };

  test("a streamed answer is replaced by its entry", () => {
    const { tell, seen } = follow();
    expect(tell({ type: "phase", phase: "waiting" }).phase).toBe("waiting");
    const growing = tell(piece("Hel"), piece("lo"));
    expect(growing.phase).toBe("streaming");
    expect(growing.answer).toEqual([{ index: 0, kind: "text", text: "Hello" }]);
    expect(growing.liveChars).toBe(5);
    expect(tell(nextEntry(says("Hello"))).answer).toEqual([]);
    expect(seen()).toEqual(["Hello"]);
  });

  test("discards a partial answer when the call starts again", () => {
    expect(follow().tell(piece("half"), { type: "reset" })).toMatchObject({
      answer: [],
      liveChars: 0,
    });
  });

  test("a retry notice ends with the first delta", () => {
    const { tell, store } = follow();
    const waiting = tell({ type: "retry", attempt: 1, of: 5, waitMs: 2_000, reason: "busy" });
    expect(waiting.retry?.untilMs).toBe(store.nowMs + 2_000);
    expect(tell(piece("a")).retry).toBeNull();
  });

  test("the output of a running tool is replaced by its result", () => {
    const { tell } = follow(calls("a"));
    const running = tell({ type: "progress", toolUse: "a", tail: "x", bytes: 1 });
    expect(running.running.get("a")?.tail).toBe("x");
    expect(tell(nextEntry(calls("a"), gives("a"))).running.size).toBe(0);
  });

  test("is cleared at the end of a turn, with its questions, but none from the background", () => {
    const { tell, store } = follow();
    const before = store.state;
    const other = askAbout("other", { id: "t2", inBackground: true });
    tell({ type: "phase", phase: "tools" }, piece("a"));
    tell({ type: "ask", ask: askAbout("own") }, { type: "ask", ask: other });
    const idle = tell({ type: "idle", why: "stopped" });
    expect(idle).toEqual({ ...before, asks: [other], idle: { why: "stopped", message: "" } });
    expect(tell({ type: "asked", id: "t2" }).asks).toEqual([]);
  });
});

test("before the first call, the meter estimates system prompt and tools", async () => {
  const system = "You are a coding agent. ".repeat(400);
  const [session] = new Builder({ system, tools: [] }).path;
  const on = stage(new Builder(), { isEmpty: true });
  const { usedTokens, errorTokens } = on.store.reading;
  expect(usedTokens).toBeGreaterThan(1_000);
  expect(errorTokens).toBeGreaterThan(0);
  if (session) await on.tell({ type: "entry", entry: session });
  expect(on.store.reading.usedTokens).toBe(usedTokens);
  expect(on.store.view.rows.map(({ entry }) => entry.id)).toEqual(["e1"]);
});
