import { expect, test } from "bun:test";
import { nextPlan } from "../../../src/context/ladder.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { buildRequest, buildSummaryRequest } from "../../../src/context/request.ts";
import { composeSummary } from "../../../src/context/summary/compose.ts";
import { extractSummary } from "../../../src/context/summary/extract.ts";
import { rangeOf } from "../../../src/context/view/rows.ts";
import { Projection } from "../../../src/context/view/view.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { rules } from "../../agent/scripted.ts";
import { calls, gives, says, session, stamp, user } from "./say.ts";

/** Entries that report when something other than their id and type is read, which needs the disk. */
function watched(): { push(...facts: Fact[]): void; projection: Projection; reads: Set<string> } {
  const projection = new Projection();
  const reads = new Set<string>();
  const push = (...facts: Fact[]): void => {
    for (const fact of facts) {
      const id = `e${projection.view.rows.length + 1}`;
      const entry: Entry = { id, parent: null, at: "2026-01-01T00:00:00.000Z", ...fact };
      const handler: ProxyHandler<Entry> = {
        get(target, key) {
          if (key !== "id" && key !== "type") reads.add(id);
          return Reflect.get(target, key);
        },
      };
      projection.push(new Proxy(entry, handler));
    }
  };
  return { push, projection, reads };
}

const turn = (number: number): Fact[] => [
  user(`Always go on with part ${number}.`),
  calls(`t${number}`, "Bash", { command: `run ${number}` }, "I decided to run it."),
  gives(`t${number}`, "Bash", "passed ".repeat(40), { stamps: [stamp(`/w/${number}`, "read")] }),
  says("It is done."),
];

test("the next summary, and what comes before a call, hardly read what an earlier one covers", () => {
  const { push, projection, reads } = watched();
  const { view } = projection;
  push(session);
  for (let number = 0; number < 20; number++) push(...turn(number));
  const summarize = (): void => {
    const span = { from: "e2", to: view.head ?? "" };
    const summary = extractSummary(rangeOf(view, span));
    const files = { files: [] };
    const input = { view, span, summary, ...files, rules, policy: defaultPolicy };
    const { text } = composeSummary(input);
    const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
    const changes = [{ kind: "cover" as const, span, text }];
    push({ type: "cut", tier: "summary", trigger: "key", reason: "", changes, price });
  };
  summarize();
  const covered = view.rows.length;
  for (let number = 20; number < 40; number++) push(...turn(number));
  push(user("Sum up."));
  reads.clear();
  const reading = measure(view, rules, defaultPolicy, 0);
  nextPlan("turnStart", { view, reading, policy: defaultPolicy, rules });
  buildRequest(view, rules, defaultPolicy);
  buildSummaryRequest(view, { from: "e2", to: view.head ?? "" }, rules, defaultPolicy, {
    prompt: "Summarize.",
  });
  summarize();
  push(user("And now?"));
  buildRequest(view, rules, defaultPolicy);
  const old = view.rows.slice(1, covered).filter(({ entry }) => reads.has(entry.id));
  const types = old.map(({ entry }) => (entry.type === "user" ? "user" : entry.id));
  // The user's messages are quoted, and the first answer shows that every call keeps its result.
  expect(new Set(types)).toEqual(new Set(["user", "e3", "e82"]));
});
