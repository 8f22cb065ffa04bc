/** The server's cache of prompts: what its loss, a pause and a server that says nothing of it cost. */

import { describe, expect, test } from "bun:test";
import { bareRules } from "../bare-rules.ts";
import { findColdCache } from "../../src/context/forecast.ts";
import { describeLoss, expectReads } from "../../src/context/meter/cache.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { noUsage, type ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { begin, Builder, rules, say } from "./build.ts";
import { compact, read, readSignals } from "./compact.ts";
import { prose, reads } from "./sessions.ts";

const minute = 60_000;
const model = { ...rules, windowTokens: 200_000 };

function session(waitMs = 0): Builder {
  const one = reads(9, 9_000);
  one.wait(waitMs);
  return one;
}

/** What is said of a call that reads this share of what was expected. */
function said(one: Builder, share: number, changed: Partial<ModelRules> = {}): string | null {
  const expected = expectReads(readSignals(one, { ...model, ...changed }, defaultPolicy));
  const cacheRead = Math.round((expected?.tokens ?? 0) * share);
  return describeLoss(expected, { input: 0, cacheRead, cacheWrite: 0, output: 1 });
}

test("a fall of more than 5 % that costs a cent is told with its size, price and likely cause", () => {
  expect(said(session(), 0.94)).toBeNull();
  const dear = { prices: { ...rules.prices, cacheWrite5m: 100 } };
  expect(said(session(), 0.96, dear)).toBeNull();
  expect(said(session(), 0.94, dear)).not.toBeNull();
  expect(said(session(), 0)).toMatch(
    /^The prompt cache was lost: [\d,]+ of [\d,]+ tokens were processed again \(\$0\.\d\d\)\. Likely the server restarted/,
  );
  expect(said(session(4.5 * minute), 0)).toContain("Likely the last call was 5 minutes ago");
});

test("nothing is said where the loss is explained: by a cut, a pause, another model, a restart", () => {
  const cut = session();
  cut.cut([{ kind: "replace", entry: "e4", text: "(cut)" }], "snip");
  expect(said(cut, 0)).toBeNull();
  expect(said(session(6 * minute), 0)).toBeNull();
  const other = session();
  other.add({ type: "model", model: "other" });
  expect(said(other, 0)).toBeNull();
});

test("nothing is said of a server that reports nothing", () => {
  const one = begin("Read.");
  for (let n = 0; n < 9; n++) one.step(`c${n}`, prose(9_000));
  one.answer([say("Done.")], { usage: { input: 30_000, cacheRead: 0, cacheWrite: 0, output: 9 } });
  one.user("And now?");
  expect(said(one, 0, { caches: false })).toBeNull();
});

/** Rows of the prefixes that the server holds after calls that used these tokens. */
function prefixesAfter(...calls: { cacheRead: number; cacheWrite: number }[]) {
  const one = new Builder();
  for (const call of calls) {
    one.user("And?");
    one.answer([say("So.")], { usage: { input: 10, output: 5, ...call } });
  }
  return one.view.cachedPrefixes?.map(({ rows }) => rows) ?? null;
}

test("a prefix stays in the cache until a call reads less than it", () => {
  const first = { cacheRead: 0, cacheWrite: 5_000 };
  const second = { cacheRead: 5_000, cacheWrite: 1_000 };
  const both = prefixesAfter(first, second);
  expect(both).toHaveLength(2);
  expect(prefixesAfter(first, second, { cacheRead: 6_000, cacheWrite: 0 })).toHaveLength(3);
  const fallen = prefixesAfter(first, second, { cacheRead: 5_000, cacheWrite: 2_000 });
  expect(fallen).toHaveLength(2);
  expect(fallen?.[0]).toBe(both?.[0] ?? 0);
});

test("a server that has never written a cache may still hold what comes before a change", () => {
  const one = new Builder();
  for (const input of [3_000, 6_000]) {
    one.user(prose(9_000));
    one.answer([say("So.")], { usage: { ...noUsage, input } });
  }
  expect(one.view.cachedPrefixes).toBeNull();
  one.cut([{ kind: "replace", entry: "e4", text: "[gone]" }]);
  expect(one.view.anchor?.changed?.tokensBefore).toBeCloseTo(3_000, -2);
});

describe("the next message after a pause", () => {
  /** Six reads, three of which can be cleared. */
  const six = reads(6, 5_600);
  const policy = { ...defaultPolicy, ...bareRules, compaction: "off" as const };
  const weigh = (minutes: number, one = six, how: typeof defaultPolicy = policy) => {
    const reading = measure(one.view, rules, how, one.nowMs + minutes * minute);
    return { reading, weighed: findColdCache(one.view, reading, rules, how) };
  };

  test("is not weighed while the cache is hot, or if there is nothing to clear", () => {
    expect(weigh(1).weighed).toBeNull();
    expect(weigh(10, reads(0, 0)).weighed).toBeNull();
  });

  test("with a cold cache, prices the full prompt and the cleared one", () => {
    const { reading, weighed } = weigh(10);
    expect(weighed).toMatchObject({ action: "clear 3 old results", isAutomatic: false });
    // System prompt and tools are still cached.
    const head = reading.breakdown.system + reading.breakdown.tools;
    const rest = reading.usedTokens - head;
    expect(weighed?.asIsUsd).toBeCloseTo((head * 0.2 + rest * 2.5) / 1e6, 9);
    expect(weighed?.clearedUsd).toBeLessThan((weighed?.asIsUsd ?? 0) * 0.7);
  });

  test("a cache of one hour costs twice the input price to write, and may be cleared anyway", () => {
    const hour = { ...defaultPolicy, ...bareRules, cacheTtl: "1h" as const };
    const { reading, weighed } = weigh(70, six, hour);
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 4) / 1e6, 9);
    expect(weighed?.isAutomatic).toBe(true);
  });
});

test.each([
  ["reports what it read from its cache", true],
  ["reports nothing", false],
])("an unasked cache that %s stays hot: at most one cut a band breaks it", (_, reports) => {
  const local = { ...rules, windowTokens: 128_000, caches: false, thinking: "none" as const };
  const one = new Builder();
  let cuts = 0;
  for (let turn = 0; turn < 14; turn++) {
    one.user(`Read file ${turn}.`);
    cuts += compact(one, "turnStart", local, defaultPolicy);
    one.step(`c${turn}`, prose(20_000));
    const input = read(one, local, defaultPolicy).usedTokens;
    one.answer([say("Read.")], reports ? {} : { usage: { ...noUsage, input } });
  }
  expect(cuts).toBeLessThanOrEqual(3);
  expect(read(one, local, defaultPolicy).cache.state).toBe("hot");
});
