/** Work per key, token or frame visits no more rows in a longer history. */

import { expect, test } from "bun:test";
import { typed } from "../../../../src/ui/keys.ts";
import { layoutScreen } from "../../../../src/ui/layout.ts";
import type { Store } from "../../../../src/ui/store.ts";
import { Builder, call, say } from "../../../context/build.ts";
import { stage } from "../../stage.ts";

/** Three quarters of the window: a summary is next. */
const usage = { input: 40_000, cacheRead: 0, cacheWrite: 0, output: 20 };

/** Turns of a question, a call, its result and an answer, without token counts. */
function makeSession(turns: number): Builder {
  const session = new Builder();
  const answer = { type: "assistant", model: "m1", usage, sentAt: "" } as const;
  for (let turn = 0; turn < turns; turn++) {
    const id = `c${turn}`;
    session.add({ type: "user", content: [say(`Question ${turn}`)] });
    session.add({ ...answer, content: [call(id)], stop: "tool_use" });
    const content = [say("some output ".repeat(20))];
    session.add({ type: "result", toolUse: id, tool: "Read", content, bytes: 240, lines: 1 });
    session.add({ ...answer, content: [say(`Answer ${turn}`)], stop: "end_turn" });
  }
  return session;
}

/** Counts the rows that are read from now on. */
function countRows(store: Store): () => number {
  let count = 0;
  const { rows } = store.view;
  const watched = new Proxy(rows, {
    get(target, name, receiver) {
      if (typeof name === "string" && /^\d+$/.test(name)) count++;
      return Reflect.get(target, name, receiver);
    },
  });
  Object.defineProperty(store.view, "rows", { value: watched });
  return () => count;
}

/** Rows read for the first frame, a key, a token, a second, output of a tool, and an entry. */
function visits(turns: number): Record<string, number> {
  const session = makeSession(turns);
  const { entries, store, controller, wait, end } = stage(session);
  const rows = countRows(store);
  const by: Record<string, number> = {};
  const measure = (name: string, work: () => void): void => {
    const before = rows();
    work();
    layoutScreen(controller, 100, 40);
    by[name] = rows() - before;
  };
  measure("first", () => {});
  measure("key", () => controller.press(...typed("a")));
  store.take({ type: "phase", phase: "waiting" });
  measure("token", () => store.take({ type: "delta", index: 0, kind: "text", text: "word " }));
  measure("second", () => wait(1_000));
  measure("output", () =>
    store.take({ type: "progress", toolUse: "running", tail: "line", bytes: 4 }),
  );
  measure("entry", () => {
    const entry = session.user("And now?");
    entries.push(entry);
    store.take({ type: "entry", entry });
  });
  end();
  return by;
}

test("keys, tokens, entries and frames visit as few rows in a long history as in a short one", () => {
  const short = visits(150);
  expect(visits(1_000)).toEqual(short);
  for (const count of Object.values(short)) expect(count).toBeLessThan(100);
});

test("a frame of a long history builds no messages: each would be read from the disk", () => {
  const { rows, store, end } = stage(makeSession(1_000));
  let built = 0;
  Object.defineProperty(store.view, "messages", { get: () => void built++ });
  rows(100, 40);
  expect(built).toBe(0);
  end();
});

test("the forecast of a long history appears after the first frame", async () => {
  const { store, rows, end } = stage(makeSession(300));
  const meter = (): string => rows(140, 40).at(-1) ?? "";
  expect(meter()).not.toMatch(/clear|summarize/);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.subscribe(() => {
    if (/clear|summarize/.test(meter())) resolve();
  });
  await promise;
  end();
});

test("the forecast of a short history is in the first frame", () => {
  const { rows, end } = stage(makeSession(20));
  expect(rows(140, 40).at(-1)).toContain("summarize");
  end();
});
