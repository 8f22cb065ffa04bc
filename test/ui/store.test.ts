import { expect, test } from "bun:test";
import { defaultSettings } from "../../src/config/settings.ts";
import { LiveView, project } from "../../src/context/view/view.ts";
import { measure } from "../../src/context/meter/meter.ts";
import type { Entry, EntryOf } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Store } from "../../src/ui/store.ts";
import { rules } from "../context/build.ts";

const nowMs = Date.UTC(2026, 10, 21);
const opening = { system: "Be brief. ".repeat(600), tools: [] };
const session: EntryOf<"session"> = {
  ...opening,
  type: "session",
  version: 1,
  session: "s",
  cwd: "/w",
  model: rules.model,
  id: "e1",
  parent: null,
  at: new Date(nowMs).toISOString(),
};

const newStore = (entries: Entry[] = []) =>
  new Store({
    model: rules.model,
    settings: defaultSettings,
    rules,
    live: new LiveView({ path: entries, entries }),
    opening,
    now: () => nowMs,
  });

test("before the first call, the meter estimates system prompt and tools", () => {
  const entries: Entry[] = [];
  const store = newStore(entries);
  const { usedTokens, errorTokens } = measure(project([session]), rules, defaultPolicy, nowMs);
  expect(usedTokens).toBeGreaterThan(1_000);
  expect(errorTokens).toBeGreaterThan(0);
  expect(store.reading).toMatchObject({ usedTokens, errorTokens });
  entries.push(session);
  store.take({ type: "entry", entry: session });
  expect(store.reading.usedTokens).toBe(usedTokens);
  expect(store.view.rows.map(({ entry }) => entry.id)).toEqual(["e1"]);
});

test("a window that the server reported applies to forecast and undo, as to the meter", () => {
  const place = { at: session.at, id: "e2", parent: "e1" };
  const store = newStore([
    session,
    { ...place, type: "count", tokens: 2_000, windowTokens: 16_000 },
  ]);
  expect(store.rules.windowTokens).toBe(16_000);
  expect(store.reading.windowTokens).toBe(16_000);
});

test("pieces of an answer between two looks at the state are read in order, and announced once", () => {
  const store = newStore();
  let announced = 0;
  store.subscribe(() => void announced++);
  const piece = (index: number, text: string): void =>
    store.take({ type: "delta", index, kind: index === 0 ? "thinking" : "text", text });
  for (const text of ["one ", "two ", "three"]) piece(0, text);
  expect(announced).toBe(1);
  expect(store.state.answer).toEqual([{ index: 0, kind: "thinking", text: "one two three" }]);
  piece(0, ".");
  for (const text of ["a", "b"]) piece(1, text);
  store.dispatch({ type: "notice", text: "news" });
  expect(announced).toBe(4);
  expect(store.state.answer).toEqual([
    { index: 0, kind: "thinking", text: "one two three." },
    { index: 1, kind: "text", text: "ab" },
  ]);
  expect(store.state.liveChars).toBe("one two three.ab".length);
  piece(1, "c");
  store.take({ type: "reset" });
  expect(store.state.answer).toEqual([]);
});
