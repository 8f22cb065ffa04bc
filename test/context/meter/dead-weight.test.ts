import { expect, test } from "bun:test";
import { findDeadWeight, listDrops } from "../../../src/context/evidence.ts";
import { findLastUses, unusedAfterCalls } from "../../../src/context/meter/dead-weight.ts";
import { priceChanges } from "../../../src/context/meter/cache.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { plainRules } from "../../model-rules.ts";
import { answer, makePath, makeReport } from "../../facts.ts";

const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
const user = (text: string): Fact => ({ type: "user", content: [{ type: "text", text }] });
const result = (toolUse: string, text: string): Fact =>
  makeReport({ toolUse, tool: "Read", content: [{ type: "text", text }] });
const reads = (id: string, file_path: string): Fact =>
  answer(usage, [{ type: "tool_use", id, name: "Read", input: { file_path } }]);
const says = (text: string): Fact => answer(usage, [{ type: "text", text }]);
const later = (text: string, count = unusedAfterCalls): Fact[] =>
  Array.from({ length: count }, () => [says(text), user("go on")]).flat();

/** Ids of calls whose result is dead weight. */
const dead = (...facts: Fact[]): string[] =>
  findDeadWeight(project(makePath(...facts)), plainRules).map(({ row }) => row.entry.toolUse);

/** A file of some length. */
const showing = (id: string, text: string): Fact[] => [
  reads(id, `/w/${id}.ts`),
  result(id, text.padEnd(1_000, " ok")),
];

test("a result that no later call repeats a word of is dead weight after some calls", () => {
  const facts = [user("go"), ...showing("a", "export const parseHeader = 1;")];
  expect(dead(...facts, ...later("nothing of it"))).toEqual(["a"]);
  expect(dead(...facts, ...later("nothing of it", unusedAfterCalls - 1))).toEqual([]);
});

test("a word of it in an answer or a call, or its file read again, is a use", () => {
  const facts = [user("go"), ...showing("a", "export const parseHeader = 1;")];
  expect(dead(...facts, says("I rename parseHeader"), user("yes"), ...later("x"))).toEqual([]);
  expect(dead(...facts, ...showing("b", "parseHeader again"), says("ok"), ...later("x"))).toEqual([
    "a",
    "b",
  ]);
});

test("a use counts for the newest result with the word", () => {
  const facts = [
    user("go"),
    ...showing("a", "parseHeader"),
    ...showing("b", "parseHeader"),
    says("see parseHeader"),
    ...later("x"),
  ];
  expect(dead(...facts)).toEqual(["a"]);
  const uses = findLastUses(project(makePath(...facts)));
  expect(uses.map(({ usedBy }) => usedBy !== null)).toEqual([false, true]);
});

test("what is pinned or cleared already is not dead weight", () => {
  const path = makePath(user("go"), ...showing("a", "parseHeader"), ...later("x"));
  const shown = path.find(({ type }) => type === "result");
  const last = path.at(-1);
  const pin = { type: "pin", entry: shown?.id ?? "", on: true } as const;
  const pinned = [...path, { ...pin, id: "p", parent: last?.id ?? null, at: "" }];
  expect(findDeadWeight(project(pinned), plainRules)).toEqual([]);
});

test("a result that its placeholder would not make smaller is no dead weight and cannot be dropped", () => {
  for (let chars = 0; chars < 120; chars++) {
    const text = "x".repeat(chars);
    const facts = [user("go"), reads("a", "/w/a.ts"), result("a", text), ...later("nothing of it")];
    const view = project(makePath(...facts));
    const reading = measure(view, plainRules, defaultPolicy, 0);
    const drops = listDrops(view, plainRules, view.rows);
    const signals = { view, reading, rules: plainRules, policy: defaultPolicy };
    const { usedBefore, usedAfter } = priceChanges(signals, drops);
    if (drops.length > 0) expect(usedAfter).toBeLessThan(usedBefore);
    expect(findDeadWeight(view, plainRules)).toHaveLength(drops.length);
  }
});
