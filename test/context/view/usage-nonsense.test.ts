/** Servers that report the tokens of all calls together, or nonsense, do not end a session. */

import { expect, test } from "bun:test";
import { measure } from "../../../src/context/meter/meter.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, rules, say } from "../build.ts";

test("usage far beyond what was sent is not counted, and the next request is sent", () => {
  const session = begin("Hello.");
  const usage = { input: 5_000_000, cacheRead: 0, cacheWrite: 0, output: 9 };
  session.answer([say("Hello.")], { usage });
  session.user("And now?");
  const { usedTokens } = measure(session.view, rules, defaultPolicy, session.nowMs);
  expect(usedTokens).toBeLessThan(10_000);
  expect(buildRequest(session.view, rules, defaultPolicy).messages).toHaveLength(3);
});

test("usage above the window that a log already holds does not end the session", () => {
  const session = begin("Hello.".repeat(10_000));
  const usage = { input: rules.windowTokens + 10_000, cacheRead: 0, cacheWrite: 0, output: 9 };
  session.answer([say("Hello.")], { usage });
  session.user("And now?");
  expect(buildRequest(session.view, rules, defaultPolicy).messages).toHaveLength(3);
});

test("usage is counted up to 100,000 tokens more than four times what is expected", () => {
  const isCounted = (more: number): boolean => {
    const session = begin("Hello.".repeat(10_000));
    const framing = 30;
    const { usedTokens } = measure(session.view, rules, defaultPolicy, session.nowMs);
    const input = 100_000 + 4 * (usedTokens - framing) + more;
    session.answer([say("Hello.")], { usage: { input, cacheRead: 0, cacheWrite: 0, output: 9 } });
    return session.view.anchor !== null;
  };
  expect([-5, 5].map(isCounted)).toEqual([true, false]);
});
