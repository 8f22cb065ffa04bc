import { describe, expect, test } from "bun:test";
import { measure } from "../../../src/context/meter/meter.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { findColdCache, coldCacheText } from "../../../src/ui/prompt/prompt-model.ts";
import { layoutQueue } from "../../../src/ui/components/notices.tsx";
import { Builder, rules } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** Six reads, three of which can be cleared. */
function session(): Builder {
  const built = new Builder();
  built.user("Read them all.");
  for (let n = 1; n <= 6; n++) built.step(`c${n}`, `text ${n} `.repeat(800));
  built.answer([{ type: "text", text: "Read." }]);
  return built;
}

const minutes = 60_000;

describe("after a pause", () => {
  const built = session();
  const policy = { ...defaultPolicy, policy: "thresholds" as const, compaction: "off" as const };
  const at = (idleMs: number) => measure(built.view, rules, policy, built.nowMs + idleMs);

  test("says nothing while the cache is hot", () => {
    expect(findColdCache(built.view, at(1 * minutes), rules, policy)).toBeNull();
  });

  test("with a cold cache, prices the full prompt and the cleared one", () => {
    const reading = at(10 * minutes);
    const weighed = findColdCache(built.view, reading, rules, policy);
    expect(weighed).toMatchObject({ action: "clear 3 old results", isAutomatic: false });
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 2.5) / 1e6, 9);
    expect(weighed?.clearedUsd).toBeLessThan((weighed?.asIsUsd ?? 0) * 0.7);
  });

  test("a cache of one hour costs twice the input price to write", () => {
    const hour = { ...policy, cacheTtl: "1h" as const };
    const reading = measure(built.view, rules, hour, built.nowMs + 70 * minutes);
    const weighed = findColdCache(built.view, reading, rules, hour);
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 4) / 1e6, 9);
  });

  test("says so if the policy clears automatically", () => {
    const itself = { ...defaultPolicy, policy: "thresholds" as const };
    const reading = measure(built.view, rules, itself, built.nowMs + 10 * minutes);
    const weighed = findColdCache(built.view, reading, rules, itself);
    expect(weighed?.isAutomatic).toBe(true);
    expect(weighed && coldCacheText(weighed, 10 * minutes, "Ctrl-S")).toMatch(
      /^The cache expired after 10m\. The next message will clear 3 old results and cost \$/,
    );
  });

  test("says nothing if there is nothing to clear", () => {
    const small = new Builder();
    small.user("Hello.");
    small.answer([{ type: "text", text: "Hello." }]);
    const reading = measure(small.view, rules, policy, small.nowMs + 10 * minutes);
    expect(findColdCache(small.view, reading, rules, policy)).toBeNull();
  });
});

const cold = (settings = {}) => {
  const built = session();
  const policy = { ...defaultPolicy, policy: "thresholds" as const, autoCompact: "off" as const };
  const one = stage(built, {
    nowMs: built.nowMs + 10 * minutes,
    settings: { policy: { ...policy, ...settings } },
  });
  return { ...one, text: () => one.controller.coldCache.text };
};

test("the notice names the key that compacts, and Escape hides it", async () => {
  const { text, press, sent, end } = cold();
  expect(text()).toMatch(/Ctrl-S clears or summarizes, Esc hides this/);
  await press("<escape>");
  expect(text()).toBeNull();
  expect(sent).toEqual([]);
  end();
});

test("offers nothing with compaction switched off", () => {
  const { text, end } = cold({ compaction: "off" });
  expect(text()).toBeNull();
  end();
});

test("offers nothing while the agent works", async () => {
  const { tell, text, end } = cold();
  await tell({ type: "phase", phase: "waiting" });
  expect(text()).toBeNull();
  end();
});

test.each([
  [[], []],
  [["one"], ["↳ queued: one"]],
  [[""], ["↳ queued: (an image)"]],
  [["a\nb\x1b[2J"], ["↳ queued: a⏎b"]],
  [
    ["1", "2", "3", "4", "5"],
    ["↳ queued: 1", "↳ queued: 2", "↳ queued: 3", "↳ and 2 more"],
  ],
])("the queue %j", (queue, lines) => {
  expect(layoutQueue(queue, 24)).toEqual(lines);
});
