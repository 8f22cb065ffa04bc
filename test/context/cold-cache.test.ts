import { bareRules } from "../bare-rules.ts";
import { describe, expect, test } from "bun:test";
import { measure } from "../../src/context/meter/meter.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { findColdCache } from "../../src/context/forecast.ts";
import { begin, Builder, rules } from "./build.ts";

/** Six reads, three of which can be cleared. */
function session(): Builder {
  const built = begin("Read them all.");
  for (let n = 1; n <= 6; n++) built.step(`c${n}`, `text ${n} `.repeat(800));
  built.answer([{ type: "text", text: "Read." }]);
  return built;
}

const minutes = 60_000;

describe("the next message after a pause", () => {
  const built = session();
  const policy = { ...defaultPolicy, ...bareRules, compaction: "off" as const };
  const at = (idleMs: number) => measure(built.view, rules, policy, built.nowMs + idleMs);

  test("is not weighed while the cache is hot", () => {
    expect(findColdCache(built.view, at(1 * minutes), rules, policy)).toBeNull();
  });

  test("with a cold cache, prices the full prompt and the cleared one", () => {
    const reading = at(10 * minutes);
    const weighed = findColdCache(built.view, reading, rules, policy);
    expect(weighed).toMatchObject({ action: "clear 3 old results", isAutomatic: false });
    // System prompt and tools are still cached.
    const head = reading.breakdown.system + reading.breakdown.tools;
    const rest = reading.usedTokens - head;
    expect(weighed?.asIsUsd).toBeCloseTo((head * 0.2 + rest * 2.5) / 1e6, 9);
    expect(weighed?.clearedUsd).toBeLessThan((weighed?.asIsUsd ?? 0) * 0.7);
  });

  test("a cache of one hour costs twice the input price to write, and may be cleared anyway", () => {
    const hour = { ...defaultPolicy, ...bareRules, cacheTtl: "1h" as const };
    const reading = measure(built.view, rules, hour, built.nowMs + 70 * minutes);
    const weighed = findColdCache(built.view, reading, rules, hour);
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 4) / 1e6, 9);
    expect(weighed?.isAutomatic).toBe(true);
  });

  test("is not weighed if there is nothing to clear", () => {
    const small = begin("Hello.");
    small.answer([{ type: "text", text: "Hello." }]);
    const reading = measure(small.view, rules, policy, small.nowMs + 10 * minutes);
    expect(findColdCache(small.view, reading, rules, policy)).toBeNull();
  });
});
