/** A long session: its end is shown immediately, the rest is loaded after it. */

import { expect, test } from "bun:test";
import { defaultSettings } from "../../src/config/schema.ts";
import { LiveView } from "../../src/context/view/view.ts";
import { initialState, withEntry } from "../../src/ui/state.ts";
import { Store } from "../../src/ui/store.ts";
import { Builder, rules, say } from "../context/build.ts";
import { stage } from "./stage.ts";

function makeSession(turns: number): Builder {
  const session = new Builder();
  for (let turn = 0; turn < turns; turn++) {
    session.user(`Question ${turn}`);
    session.step(`c${turn}`, "some output");
    session.answer([say(`Answer ${turn}`)]);
  }
  return session;
}

const makeStore = ({ path }: Builder): Store =>
  new Store({
    model: rules.model,
    settings: defaultSettings,
    rules,
    live: new LiveView({ path, entries: path }),
    now: () => 0,
  });

const titles = (store: Store): string[] =>
  store.state.items.map(({ key, kind }) => `${kind} ${key}`);

test("its end is shown at once, starting at a message of the user, with the size of the context", () => {
  const session = makeSession(600);
  const store = makeStore(session);
  const { items, lastAnswer } = store.state;
  expect(items.length).toBeGreaterThan(100);
  expect(items.length).toBeLessThan(1_000);
  expect(items[0]?.kind).toBe("user");
  expect(lastAnswer).toBe("Answer 599");
  const { usedTokens } = store.reading;
  store.complete();
  expect(Math.abs(usedTokens - store.reading.usedTokens)).toBeLessThan(usedTokens / 50);
});

test("filled in pieces, it equals one that was resumed at once; notices stay last", async () => {
  const session = makeSession(600);
  const store = makeStore(session);
  store.dispatch({ type: "notice", text: "Something changed." });
  await store.fill();
  const begin = initialState(rules.model, "default");
  const whole = session.path.reduce(withEntry, begin);
  const { items, ...state } = store.state;
  const { items: all, ...rest } = whole;
  expect(state).toEqual(rest);
  expect(items.slice(0, -1)).toEqual([...all]);
  expect(items.at(-1)).toMatchObject({ kind: "note", entry: { text: "Something changed." } });
  expect(store.view.rows).toHaveLength(session.path.length);
});

test("typing does not wait for the rest; scrolling and what the agent does complete it", () => {
  const session = makeSession(600);
  const typing = stage(session);
  typing.controller.press({ type: "key", chord: "h", text: "h" });
  expect(titles(typing.store).length).toBeLessThan(1_000);
  typing.controller.press({ type: "key", chord: "pageup", text: "" });
  expect(titles(typing.store)).toHaveLength(titles(completed(session)).length);
  typing.end();
  const { store, entries, end } = stage(session);
  const entry = session.user("One more.");
  entries.push(entry);
  store.take({ type: "entry", entry });
  expect(titles(store)).toEqual(titles(completed(session)));
  end();
});

function completed(session: Builder): Store {
  const store = makeStore(session);
  store.complete();
  return store;
}
