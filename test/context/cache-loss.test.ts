import { expect, test } from "bun:test";
import { describeLoss, expectReads } from "../../src/context/meter/cache.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { begin, Builder, rules, say } from "./build.ts";
import { readSignals } from "./compact.ts";
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

test("a server that has never written a cache holds no prefix", () => {
  const none = { cacheRead: 0, cacheWrite: 0 };
  expect(prefixesAfter(none, none)).toBeNull();
});
