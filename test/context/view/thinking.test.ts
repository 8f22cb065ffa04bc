/** A message removes stale thinking: what remains is known beforehand, without another projection. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { forecast } from "../../../src/context/forecast.ts";
import { withoutStaleThinking } from "../../../src/context/view/thinking.ts";
import type { View } from "../../../src/context/types.ts";
import { Projection } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "../build.ts";
import { plainRows } from "./plain-rows.ts";
import { play, prose, steps } from "../sessions.ts";

const thought = (n: number) =>
  ({ type: "thinking", thinking: prose(300), signature: `s${n}` }) as const;

/** A turn in whose loop an old result was cut, so that its thinking is stale. */
function cutInLoop(session: Builder): void {
  session.user("Go on.");
  const old = session.step("old", prose(900));
  for (let n = 0; n < 3; n++) {
    session.answer([thought(n), say("On."), call(`loop${n}`)]);
    session.result(`loop${n}`, prose(500));
  }
  session.cut([{ kind: "replace", entry: old.id, text: "(cut)" }], "snip");
  session.answer([thought(3), say("Done.")]);
}

/** An empty message, which only removes the thinking. */
function afterMessage({ path, head }: View): View {
  const at = path.at(-1)?.at ?? "";
  return new Projection([...path, { id: "next", parent: head, at, type: "user", content: [] }])
    .view;
}

const readCounts = ({ rows, tokenCounts }: View, length: number) => ({
  total: tokenCounts.total(),
  counted: tokenCounts.counted,
  uncounted: tokenCounts.uncounted,
  editedTokens: tokenCounts.editedTokens,
  rows: rows
    .slice(0, length)
    .map((_, row) => [tokenCounts.countedTokens(row), tokenCounts.countedWholeTokens(row)]),
});

test("rows, counts and cache are those that the message leaves", () => {
  let seen = 0;
  fc.assert(
    fc.property(steps({ most: 40 }), (script) => {
      const session = play(script);
      cutInLoop(session);
      const { view } = session;
      if (!view.staleThinking) return;
      seen++;
      const before = readCounts(view, view.rows.length);
      const next = withoutStaleThinking(view);
      const after = afterMessage(view);
      expect(plainRows(next.rows)).toEqual(plainRows(after.rows.slice(0, -1)));
      expect(readCounts(next, next.rows.length)).toEqual(readCounts(after, next.rows.length));
      expect(next.anchor).toEqual(after.anchor);
      expect(next.staleThinking).toBe(false);
      expect(readCounts(view, view.rows.length)).toEqual(before);
    }),
    { numRuns: 120 },
  );
  expect(seen).toBeGreaterThan(100);
});

test("the forecast of a turn's end reads nothing of what a summary covers", () => {
  const session = new Builder();
  session.user("Read.");
  for (let n = 0; n < 30; n++) session.step(`c${n}`, prose(2_000));
  session.answer([say("Done.")]);
  const covered = session.path.length;
  session.cover("e2", session.path.at(-1)?.id ?? "");
  cutInLoop(session);
  const looks = { count: 0 };
  const path = session.path.map((entry, row) => (row < covered ? watched(entry, looks) : entry));
  const { view } = new Projection(path);
  expect(view.staleThinking).toBe(true);
  looks.count = 0;
  forecast(view, rules, defaultPolicy, session.nowMs);
  expect(looks.count).toBe(0);
});

/** An entry that counts how often its content is read. */
function watched(entry: Entry, looks: { count: number }): Entry {
  if (!("content" in entry)) return entry;
  const { content } = entry;
  const counting = { get: () => (looks.count++, content), enumerable: true };
  return Object.defineProperty({ ...entry }, "content", counting);
}

test("a session begins without stale thinking", () => {
  expect(new Builder().view.staleThinking).toBe(false);
});
