import { expect, test } from "bun:test";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { noUsage } from "../../src/protocol/model.ts";
import { addToState, emptyDerivedState, type DerivedState } from "../../src/ui/derived-state.ts";
import type { Draft } from "../../src/ui/items.ts";
import { at, itemsOf } from "../../src/ui/list.ts";
import { Builder, call, say } from "../context/build.ts";

const hook = { type: "note" as const, kind: "info" as const, text: "A hook asked a model." };

const joins: Fact = {
  type: "user",
  midTurn: true,
  content: [{ type: "text", text: "Also this." }],
};

/** Everything that can become an item, repeatedly, and a rewind. */
function longSession(): Entry[] {
  const session = new Builder();
  const entries = [...session.path];
  const taken = new Set(entries);
  const take = (): void => {
    for (const entry of session.path) if (!taken.has(entry)) entries.push(entry);
    for (const entry of session.path) taken.add(entry);
  };
  for (let turn = 0; turn < 60; turn++) {
    session.user(`Question ${turn}`);
    session.add({ type: "note", kind: "info", text: "By the way." });
    session.answer([say("I look."), call(`a${turn}`), call(`b${turn}`)]);
    session.result(`a${turn}`, "Some lines.");
    if (turn % 8 === 0) session.add({ ...hook, spent: { model: "m", usage: noUsage, usd: 1 } });
    if (turn % 9 === 0) session.add({ type: "note", kind: "permission", text: "denied: Bash" });
    session.result(`b${turn}`, "More lines.", turn % 7 === 0 ? { isError: true } : {});
    if (turn % 5 === 0) session.add(joins);
    const stop = turn % 11 === 0 ? "interrupted" : "end_turn";
    session.answer([{ type: "thinking", thinking: "Hm.", signature: "s" }, say("Done.")], { stop });
    if (turn % 13 === 0) session.add(joins);
    session.result("gone", "It answers nothing.");
    if (turn % 20 === 19) session.cover("e2", session.path.at(-1)?.id ?? "");
    if (turn === 40) {
      take();
      session.rewind(200);
    }
  }
  session.answer([call("late")]);
  for (let n = 0; n < 300; n++) session.add({ type: "note", kind: "info", text: `Line ${n}` });
  session.result("late", "At last.");
  take();
  return entries;
}

function stateOf(entries: readonly Entry[], find?: (id: string) => Entry | undefined) {
  const state: Draft<DerivedState> = emptyDerivedState("m", find);
  for (const entry of entries) addToState(state, entry);
  return state;
}

test("old items are packed, and are the same when they are shown again", () => {
  const entries = longSession();
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  let found = 0;
  const packed = stateOf(entries, (id) => (found++, known.get(id)));
  const whole = stateOf(entries);
  const plain = (state: DerivedState) =>
    JSON.parse(JSON.stringify([...itemsOf(state.items)].map((one) => ({ ...one, key: one.key }))));
  expect(plain(packed)).toEqual(plain(whole));
  expect([...itemsOf(packed.path)]).toEqual([...itemsOf(whole.path)]);
  expect([...itemsOf(packed.branches)]).toEqual([...itemsOf(whole.branches)]);
  expect(packed.openCalls).toEqual(whole.openCalls);
  found = 0;
  expect(at(packed.items, 3)?.key).toBe(at(whole.items, 3)?.key);
  expect(found).toBeGreaterThan(0);
});

test.each([
  ["of the log's own ids", (id: string) => id],
  ["of other ids", (id: string) => `${id}.x`],
])("entries of packed items come from the log: %s", (_, name) => {
  const entries = longSession().map((entry) => ({
    ...entry,
    id: name(entry.id),
    parent: entry.parent && name(entry.parent),
  }));
  const known = new Map(entries.map((entry) => [entry.id, structuredClone(entry)]));
  const given = new Set<Entry | null>([...known.values(), null]);
  const { items, path } = stateOf(entries, (id) => known.get(id));
  const packed = [...itemsOf(items)].slice(0, -items.tail.length);
  const kept = packed.flatMap((item) => [item.entry, item.kind === "tool" ? item.result : null]);
  kept.push(...[...itemsOf(path)].slice(0, -path.tail.length));
  expect(kept.filter((entry) => !given.has(entry))).toEqual([]);
});

test("items that are not in the log are left unpacked", () => {
  const notices = Array.from({ length: 200 }, (_, n): Entry => {
    const parent = n === 0 ? null : `notice-${n - 1}`;
    return { ...hook, id: `notice-${n}`, parent, at: "" };
  });
  const { items } = stateOf(notices, () => undefined);
  expect([...itemsOf(items)].map(({ entry }) => entry)).toEqual(notices);
});
