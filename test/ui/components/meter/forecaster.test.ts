/** The forecast of a long history waits until the first frame is drawn. */

import { expect, test } from "bun:test";
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

test("the forecast of a long history appears after the first frame", async () => {
  const { store, rows } = stage(makeSession(300));
  const meter = (): string => rows(140, 40).at(-1) ?? "";
  expect(meter()).not.toMatch(/clear|summarize/);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.subscribe(() => {
    if (/clear|summarize/.test(meter())) resolve();
  });
  await promise;
});

test("the forecast of a short history is in the first frame", () => {
  const { rows } = stage(makeSession(20));
  expect(rows(140, 40).at(-1)).toContain("summarize");
});
