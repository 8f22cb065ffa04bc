/**
 * What happens before a call of a session with a million tokens in view, step by step:
 * `bun test/lab/bench/before-call.ts`. Milliseconds of processor time, medians, beside writing the whole
 * request as JSON in the same run.
 */

import { forecast } from "../../../src/context/forecast.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { nextPlan } from "../../../src/context/ladder.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { Projection } from "../../../src/context/view/view.ts";
import { toParams } from "../../../src/model/anthropic/request.ts";
import { lookUpRules, lookUpWire } from "../../../src/model/catalog.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { assistantFact, resultFact, sessionFact, userFact } from "../../log/facts.ts";

const turns = 900;
const callsPerTurn = 4;
const resultChars = 450;
const charsPerToken = 3;
const model = "claude-sonnet-5-5";
const rules = { ...lookUpRules(model), windowTokens: 2_000_000 };
const startMs = Date.UTC(2026, 0, 1);

const projection = new Projection();
const { view } = projection;
let entries = 0;
let chars = 0;
let nowMs = startMs;

/** Appends to the path; answers are billed for what precedes them. */
function push(fact: Fact): void {
  const at = new Date((nowMs += 1_000)).toISOString();
  const usage = {
    input: 3,
    cacheRead: Math.ceil(chars / charsPerToken),
    cacheWrite: 0,
    output: 20,
  };
  chars += JSON.stringify(fact).length;
  const billed = fact.type === "assistant" ? { ...fact, usage, sentAt: at } : fact;
  projection.push({ id: `e${++entries}`, parent: null, at, ...billed });
}

/** The steps before every call of a tool loop. */
const inLoop = [
  "projecting an entry",
  "messages",
  "meter",
  "plan in a loop",
  "request, checked",
  "in the API's form",
  "as JSON",
];
const allAgain = "(all of it as JSON again)";

const taken = new Map<string, number[]>();
function timed<T>(what: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  taken.set(what, [...(taken.get(what) ?? []), (user + system) / 1_000]);
  return result;
}

function turn(number: number): void {
  push(userFact(`Question ${number}`));
  for (let call = 0; call < callsPerTurn; call++) {
    const id = `call-${number}-${call}`;
    push(assistantFact(`Step ${call}`, [id]));
    push(resultFact(id, `${id} `.repeat(Math.ceil(resultChars / id.length))));
  }
  push(assistantFact("Done.", []));
}

push(sessionFact());
for (let number = 0; number < turns; number++) turn(number);
for (let number = turns; number < turns + 40; number++) {
  timed("projecting an entry", () => push(userFact("And now?")));
  timed("messages", () => view.messages.length);
  const reading = timed("meter", () => measure(view, rules, defaultPolicy, nowMs));
  timed("plan at a turn's start", () =>
    nextPlan("turnStart", { view, reading, policy: defaultPolicy, rules }),
  );
  timed("plan in a loop", () =>
    nextPlan("beforeCall", { view, reading, policy: defaultPolicy, rules }),
  );
  timed("forecast", () => forecast(view, rules, defaultPolicy, nowMs));
  const request = timed("request, checked", () => buildRequest(view, rules, defaultPolicy));
  const params = timed("in the API's form", () => toParams(request, lookUpWire(model), true));
  timed("as JSON", () => JSON.stringify(params).length);
  timed(allAgain, () => JSON.stringify(params).length);
  push(assistantFact("Done.", []));
  turn(number);
}

const { usedTokens } = measure(view, rules, defaultPolicy, nowMs);
console.log(`${view.rows.length} entries, ${usedTokens} tokens`);
const quantile = (what: string, share: number): number => {
  const sorted = (taken.get(what) ?? []).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
};
const show = (ms: number): string => ms.toFixed(2).padStart(8);
for (const what of taken.keys())
  console.log(
    `${what.padEnd(28)} median ${show(quantile(what, 0.5))} ms   95th percentile ${show(quantile(what, 0.95))} ms`,
  );
const loopMs = inLoop.reduce((sum, what) => sum + quantile(what, 0.5), 0);
console.log(
  `in a tool loop, all together ${loopMs.toFixed(1)} ms: ${(loopMs / quantile(allAgain, 0.5)).toFixed(2)} times writing all of it as JSON`,
);
