import { describe, expect, test } from "bun:test";
import { measure } from "../../../src/context/meter.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { layoutQueue } from "../../../src/tui/panels/queue.ts";
import {
  coldCacheText,
  useColdCacheNotice,
  coldCacheOf,
} from "../../../src/tui/panels/cold-cache-notice.ts";
import type { PanelProps } from "../../../src/tui/types.ts";
import { Text } from "ink";
import { Builder, rules } from "../../context/build.ts";
import { stage } from "./stage.tsx";

/** Six reads, of which three may go. */
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

  test("a hot cache is nothing to speak of", () => {
    expect(coldCacheOf(built.view, at(1 * minutes), rules, policy)).toBeNull();
  });

  test("a cold one is: the whole prompt is written again, or less after clearing", () => {
    const reading = at(10 * minutes);
    const weighed = coldCacheOf(built.view, reading, rules, policy);
    expect(weighed).toMatchObject({ results: 3, clearsItself: false });
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 2.5) / 1e6, 9);
    expect(weighed?.clearedUsd).toBeLessThan((weighed?.asIsUsd ?? 0) * 0.7);
  });

  test("an hour's cache costs twice the input to write", () => {
    const hour = { ...policy, cacheTtl: "1h" as const };
    const reading = measure(built.view, rules, hour, built.nowMs + 70 * minutes);
    const weighed = coldCacheOf(built.view, reading, rules, hour);
    expect(weighed?.asIsUsd).toBeCloseTo((reading.usedTokens * 4) / 1e6, 9);
  });

  test("where the policy clears by itself, that is what is told", () => {
    const itself = { ...defaultPolicy, policy: "thresholds" as const };
    const reading = measure(built.view, rules, itself, built.nowMs + 10 * minutes);
    const weighed = coldCacheOf(built.view, reading, rules, itself);
    expect(weighed?.clearsItself).toBe(true);
    expect(weighed && coldCacheText(weighed, 10 * minutes)).toMatch(
      /^Cache cold after 10m\. The next message first clears 3 stale results and costs \$/,
    );
  });

  test("with nothing to clear there is nothing to say", () => {
    const small = new Builder();
    small.user("Hello.");
    small.answer([{ type: "text", text: "Hello." }]);
    const reading = measure(small.view, rules, policy, small.nowMs + 10 * minutes);
    expect(coldCacheOf(small.view, reading, rules, policy)).toBeNull();
  });
});

function Notice(props: PanelProps) {
  return <Text>{useColdCacheNotice(props, false) ?? "nothing"}</Text>;
}

const cold = (idleMs = 10 * minutes) => {
  const built = session();
  return stage(built, (props) => <Notice {...props} />, {
    nowMs: built.nowMs + idleMs,
    settings: { policy: { ...defaultPolicy, compaction: "off" } },
  });
};

test("Alt-1 clears, Alt-2 leaves it; either is asked once", async () => {
  const clears = cold();
  await clears.press("x");
  expect(clears.frame()).toMatch(/Alt-1\s+clears them/);
  await clears.press("<alt+1>");
  expect(clears.sent).toEqual([{ type: "compact", how: "clear", trigger: "key" }]);
  expect(clears.frame()).toBe("nothing");
  await clears.press("<alt+1>");
  expect(clears.sent).toHaveLength(1);
  clears.end();
  const leaves = cold();
  await leaves.press("<alt+2>");
  expect(leaves.frame()).toBe("nothing");
  expect(leaves.sent).toEqual([]);
  leaves.end();
});

test("while the agent works it is silent", async () => {
  const { tell, frame, end } = cold();
  await tell({ type: "phase", phase: "streaming" });
  expect(frame()).toBe("nothing");
  end();
});

test.each([
  [[], []],
  [["one"], ["  ↳ waits: one"]],
  [[""], ["  ↳ waits: (an image)"]],
  [["a\nb\x1b[2J"], ["  ↳ waits: a⏎b"]],
  [
    ["1", "2", "3", "4", "5"],
    ["  ↳ waits: 1", "  ↳ waits: 2", "  ↳ waits: 3", "  ↳ and 2 more; Up take…"],
  ],
])("waiting %j", (waiting, lines) => {
  expect(layoutQueue(waiting, 24)).toEqual(lines);
});
