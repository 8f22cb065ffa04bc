import { expect, test } from "bun:test";
import { project } from "../../../../src/context/view/view.ts";
import type { Entry } from "../../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../../src/protocol/policy.ts";
import { plainRules } from "../../../model-rules.ts";
import { answerTokens, liveTokens } from "../../../../src/ui/components/meter/live.ts";

const rules = plainRules;

const running = (bytes: number) => new Map([["t1", { tail: "", bytes }]]);
const live = (liveChars: number, bytes: number) =>
  liveTokens({ liveChars, running: running(bytes) }, project([]), rules, defaultPolicy);

test("a streamed answer and a running tool move the meter, at the rate of their kind", () => {
  expect(live(4_000, 0)).toBe(1_000);
  expect(live(0, 2_500)).toBe(1_000);
  expect(live(4_000, 2_500)).toBe(2_000);
});

test("large output counts as the preview that will be sent", () => {
  expect(live(0, 1e9)).toBe(live(0, defaultPolicy.persistBytes));
});

test("live text uses the session's own characters per token", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const session = { type: "session", version: 1, session: "s", cwd: "/", system: "", tools: [] };
  const path: Entry[] = [
    { id: "e1", parent: null, at, ...session, type: "session", model: "m" },
    { id: "e2", parent: "e1", at, type: "user", content: [{ type: "text", text: "begin" }] },
  ];
  // This session averages two characters per token, fewer than usual.
  for (let n = 3, sent = 1_000; n < 23; n += 2, sent += 4_000) {
    const usage = { input: sent, cacheRead: 0, cacheWrite: 0, output: 0 };
    const content = [{ type: "text" as const, text: "ok" }];
    path.push(
      {
        id: `e${n}`,
        parent: `e${n - 1}`,
        at,
        type: "assistant",
        content,
        model: "m",
        usage,
        stop: "end_turn",
        sentAt: at,
      },
      {
        id: `e${n + 1}`,
        parent: `e${n}`,
        at,
        type: "user",
        content: [{ type: "text", text: "x".repeat(8_000) }],
      },
    );
  }
  const state = { liveChars: 4_000, running: running(0) };
  expect(answerTokens(state, project(path), rules)).toBeGreaterThan(1_500);
});
