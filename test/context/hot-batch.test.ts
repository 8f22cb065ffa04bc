/** What is cut in a hot cache: the batch that saves most, where the cache is broken in any case. */

import { expect, test } from "bun:test";
import { nextPlan } from "../../src/context/pipeline.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

const model = { ...rules, windowTokens: 1_000_000 };
const smallChars = 400;

/** Results that the plan clears after many small ones and then many large ones. */
function cleared(thinks: boolean): { small: number; large: number } {
  const session = new Builder();
  session.user("Go on.");
  for (let n = 0; n < 60; n++) {
    const thought = { type: "thinking", thinking: "Next.", signature: `s${n}` } as const;
    session.answer([...(thinks ? [thought] : []), say(prose(6_000)), call(`c${n}`, "Bash", {})]);
    session.result(`c${n}`, prose(n < 30 ? smallChars : 12_000), { tool: "Bash" });
  }
  session.answer([say("Done.")]);
  session.user("And now?");
  const reading = read(session, model, defaultPolicy);
  expect(reading.cache.state).toBe("hot");
  const plan = nextPlan("turnStart", {
    view: session.view,
    reading,
    policy: defaultPolicy,
    rules: model,
  });
  const changes = plan && "changes" in plan ? plan.changes : [];
  const sizes = changes.flatMap((change) =>
    change.kind === "replace"
      ? [session.view.rows[session.view.indexOf(change.entry) ?? 0]?.chars ?? 0]
      : [],
  );
  const count = (isSmall: boolean): number =>
    sizes.filter((chars) => chars < 2 * smallChars === isSmall).length;
  return { small: count(true), large: count(false) };
}

test("without thinking, items that are not worth breaking the cache are kept", () => {
  const { small, large } = cleared(false);
  expect(large).toBeGreaterThan(10);
  expect(small).toBe(0);
});

test("thinking is removed with any cut, so all that comes after it is cut at once", () => {
  const { small, large } = cleared(true);
  expect(large).toBeGreaterThan(10);
  expect(small).toBe(30);
});
