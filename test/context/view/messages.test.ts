/** Messages are rebuilt only from the message with the first changed row on. */

import { expect, test } from "bun:test";
import type { View } from "../../../src/context/types.ts";
import { project } from "../../../src/context/view/view.ts";
import fc from "../../properties.ts";
import { Builder } from "../build.ts";

/** A prompt, and calls whose results are entries e4, e6, and so on. */
function reads(count: number): Builder {
  const session = new Builder();
  session.user("Read on.");
  for (let n = 0; n < count; n++) session.step(`c${n}`, `text ${n}`);
  return session;
}

const clear = (session: Builder, result: number) =>
  session.cut([{ kind: "replace", entry: `e${4 + 2 * result}`, text: "[cleared]" }]);

/** How many of the first messages are the same objects as before. */
function shared(view: View, before: View["messages"]): number {
  const { messages } = view;
  return messages.findIndex((message, index) => message !== before[index]);
}

test("messages before the changed row stay the same objects", () => {
  const session = reads(10);
  const before = session.view.messages;
  clear(session, 6);
  // The prompt, and two messages for each of six calls; the seventh call may continue in the
  // changed row.
  expect(shared(session.view, before)).toBe(13);
  expect(session.view.messages).toEqual(project(session.path).messages);
});

test("after several changes, messages before the earliest one stay the same", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }), (results) => {
      const session = reads(10);
      const before = session.view.messages;
      for (const result of results) clear(session, result);
      session.user("Go on.");
      expect(shared(session.view, before)).toBe(1 + 2 * Math.min(...results));
      expect(session.view.messages).toEqual(project(session.path).messages);
    }),
  );
});

test("a server's summary that comes first replaces all of them", () => {
  const session = reads(10);
  const before = session.view.messages;
  const block = {
    type: "compaction" as const,
    content: "What happened.",
    encrypted_content: null,
    signature: "s",
  };
  const span = { from: "e2", to: "e12" };
  session.cut([{ kind: "cover", span, text: "What happened.", block }], "summary");
  expect(shared(session.view, before)).toBe(0);
  expect(session.view.messages).toEqual(project(session.path).messages);
});
