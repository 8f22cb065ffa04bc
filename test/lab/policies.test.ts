import { plainRules } from "../model-rules.ts";
import { expect, test } from "bun:test";
import { readCommonFormat } from "./common-format.ts";
import { findDependencies } from "./dependencies.ts";
import type { ReplayResult } from "./replay-result.ts";
import { policies, type PolicyName } from "./policies.ts";
import type { Settings, Watch } from "./policy.ts";
import { simulate } from "./simulate.ts";
import type { Message, ModelRules } from "../../src/protocol/model.ts";
import { session } from "./sessions.ts";

const minute = 60_000;

const rules = (windowTokens: number): ModelRules => ({
  ...plainRules,
  windowTokens,
  thinking: "bound",
  caches: true,
  cacheMinimumTokens: 1_024,
  charsPerToken: { prose: 4, code: 4, result: 4 },
});

function replay(
  name: PolicyName,
  text: string,
  windowTokens = 200_000,
  { compacts = false, watch }: { compacts?: boolean; watch?: Watch } = {},
): ReplayResult {
  const lines = text.split("\n").map((line): unknown => JSON.parse(line));
  const recording = readCommonFormat("generated", lines);
  const settings: Settings = {
    rules: { ...rules(windowTokens), compacts },
    overheadTokens: 10_000,
    ttl: null,
  };
  return simulate(recording, findDependencies(recording), policies[name], settings, watch);
}

const turns = (count: number, chars: number, gapMs = 2_000): string =>
  session(
    Array.from({ length: count }, (_, index) => ({
      path: `/work/f${index}.ts`,
      chars,
      human: `Now look at part ${index}.`,
      gapMs,
    })),
  );

test("nothing is cut under policy none, and the bill matches one computed by hand", () => {
  const outcome = replay(
    "none",
    session([{ path: "/work/a.ts", chars: 4_000, human: "Read it." }]),
  );
  const [first = 0, second = 0] = outcome.used;
  expect(outcome).toMatchObject({ calls: 2, summaries: 0, unfit: 0, events: [] });
  expect(first).toBe(10_002);
  const { cacheWrite, cacheRead, input, output } = outcome.usage;
  expect(input).toBe(0);
  expect(Math.abs(cacheWrite - second)).toBeLessThanOrEqual(1);
  expect(cacheRead).toBe(first);
  const usd = (cacheWrite * 2.5 + cacheRead * 0.2 + output * 10) / 1e6;
  expect(outcome.usd).toBeCloseTo(usd, 10);
});

test("window - 33,000 summarizes when the window is that full, and then every call fits", () => {
  const text = turns(30, 40_000);
  expect(replay("none", text).unfit).toBeGreaterThan(0);
  const outcome = replay("window-33k", text);
  expect(outcome.summaries).toBeGreaterThan(0);
  expect(outcome.unfit).toBe(0);
  expect(outcome.events.every(({ usedBefore }) => usedBefore > 167_000)).toBe(true);
});

test.each([
  ["codex", 180_000],
  ["gemini", 100_000],
  ["opencode", 148_000],
] as const)("%s summarizes from %d tokens of 200,000", (name, from) => {
  const { events, summaries } = replay(name, turns(30, 40_000));
  expect(summaries).toBeGreaterThan(0);
  for (const { usedBefore, usedAfter } of events) {
    expect(usedBefore).toBeGreaterThanOrEqual(from);
    expect(usedAfter).toBeLessThan(usedBefore);
  }
  const size = from * 3.9;
  expect(replay(name, turns(1, size)).summaries).toBe(0);
});

test("the default clears what is stale when the cache is cold, and costs less for it", () => {
  const text = turns(20, 20_000, 10 * minute);
  const outcome = replay("balanced", text);
  expect(outcome.usd).toBeLessThan(replay("none", text).usd * 0.8);
  expect(
    outcome.events.some(({ cache, moment }) => cache === "cold" && moment === "turnStart"),
  ).toBe(true);
});

test("the default rewrites history in a tool loop only when the next request would not fit", () => {
  const steps = Array.from({ length: 40 }, (_, index) => ({
    path: `/work/f${index}.ts`,
    chars: 28_000,
    ...(index === 0 ? { human: "Read them all." } : {}),
  }));
  const outcome = replay("balanced", session(steps));
  expect(outcome.unfit).toBe(0);
  expect(outcome.events.length).toBeGreaterThan(0);
  for (const { moment, usedBefore } of outcome.events) {
    // 20,000 are reserved for the answer, and a little for the meter's error.
    if (moment === "beforeCall") expect(usedBefore).toBeGreaterThan(175_000);
  }
  expect(replay("balanced", session(steps), 1_000_000).events).toEqual([]);
});

test("an edit whose text was cut is counted as lost, and its file is read again", () => {
  const old = "/work/old.ts line 3 ".padEnd(39, ".");
  const steps = [
    { path: "/work/old.ts", chars: 8_000, human: "Start." },
    ...Array.from({ length: 5 }, (_, index) => ({ path: `/work/f${index}.ts`, chars: 4_000 })),
  ];
  const lines = session(steps).split("\n");
  const call = { type: "tool_use", id: "late", name: "Edit" };
  const input = { file_path: "/work/old.ts", old_string: old, new_string: "new" };
  const human = [{ type: "text", text: "Change line 3." }];
  lines.push(JSON.stringify({ role: "user", content: human, meta: { human: true } }));
  lines.push(JSON.stringify({ role: "assistant", content: [{ ...call, input }] }));
  const text = lines.join("\n");
  expect(replay("none", text).kept.edits).toEqual({ met: 1, all: 1 });
  const lost = replay("lesson-a", text);
  expect(lost.kept.edits).toEqual({ met: 0, all: 1 });
  expect(lost.rereadUsd).toBeGreaterThan(0);
  expect(replay("balanced", text).kept.edits).toEqual({ met: 1, all: 1 });
});

test("where the server compacts, its block comes first, and what is kept beside it after", () => {
  const text = turns(40, 12_000);
  const asked: boolean[] = [];
  let first: readonly Message[] = [];
  const { summaries } = replay("thresholds", text, 60_000, {
    compacts: true,
    watch({ summary, projection }) {
      if (summary) asked.push(summary.byServer);
      else if (asked.length > 0 && first.length === 0) first = projection.view.messages.slice(0, 2);
    },
  });
  expect(summaries).toBeGreaterThan(0);
  expect(asked).toEqual(Array.from({ length: summaries }, () => true));
  expect(first[0]?.content.map(({ type }) => type)).toEqual(["compaction"]);
  expect(JSON.stringify(first[1])).toContain("Kept verbatim beside the summary");
  const ours: boolean[] = [];
  const watch: Watch = ({ summary }) => void (summary && ours.push(summary.byServer));
  replay("thresholds", text, 60_000, { watch });
  expect(ours).toContain(false);
  expect(ours).not.toContain(true);
});

test("the lessons' rules: three newest results, and thresholds by their own estimates", () => {
  const text = turns(12, 30_000);
  const threeLayers = replay("lesson-a", text);
  expect(threeLayers.events.some(({ tier }) => tier === "microcompact")).toBe(true);
  expect(Math.max(...threeLayers.used)).toBeLessThan(Math.max(...replay("none", text).used));
  const threshold = replay("lesson-b", turns(40, 24_000));
  expect(threshold.summaries).toBeGreaterThan(0);
  expect(threshold.events.every(({ moment }) => moment === "turnStart")).toBe(true);
});

test("the same recording gives the same numbers", () => {
  const text = turns(15, 30_000, 7 * minute);
  for (const name of ["balanced", "thresholds", "lesson-c"] as const)
    expect(replay(name, text)).toEqual(replay(name, text));
});
