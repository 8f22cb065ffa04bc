/** An open tool loop whose thinking the server refuses becomes a record of what was done. */

import { expect, test } from "bun:test";
import { project } from "../../src/context/view/view.ts";
import { ModelError } from "../../src/model/client.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { calls, gives, makePath, reads, says, session, user } from "../context/summary/say.ts";
import { freeCut } from "../facts.ts";
import { of, run } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { text as words } from "./scripted.ts";

const refusal = new ModelError("invalid", "`thinking` blocks cannot be modified.");

/** The record of the loop that is open after these facts; null: there is none. */
async function fold(facts: readonly Fact[], changed: Partial<ModelRules> = {}) {
  const log = new MemoryLog();
  for (const fact of [session, ...facts]) await log.append(fact);
  const script = [{ error: refusal }, { blocks: [words("ok")] }];
  await run(script, { log, rules: changed, prompts: ["Go on."] });
  const [entry] = of(log.path.slice(facts.length + 1), "cut");
  if (!entry) return null;
  const { id: _id, parent: _parent, at: _at, ...cut } = entry;
  return cut;
}

const textOf = (cut: Awaited<ReturnType<typeof fold>>): string => {
  const [change] = cut?.changes ?? [];
  return change?.kind === "cover" ? change.text : "";
};

test("an open loop becomes a record of what was said, called and found", async () => {
  const long = "x".repeat(5_000);
  const cut = await fold([
    user("Mend it."),
    { ...calls("a", "Read", { file_path: "/a" }, "I look."), stop: "failed" } as Fact,
    calls("b", "Read", { file_path: "/b" }, "I look again."),
    gives("b", "Read", long),
    { ...says("Half a"), stop: "failed" } as Fact,
    user("And c!"),
    ...reads("c", "/c", "found"),
  ]);
  expect(cut).toMatchObject({ tier: "manual", trigger: "auto", midLoop: true });
  expect(cut?.changes).toMatchObject([{ span: { from: "e4", to: "e9" } }]);
  const [head, ...steps] = textOf(cut).split("\n\n");
  expect(head).toBe("What you did in this turn so far, as a record:");
  expect(steps.map((step) => step.slice(0, 40))).toEqual([
    "I look again.",
    'You called Read with {"file_path":"/b"}',
    `Result of Read: ${"x".repeat(24)}`,
    "The user: And c!",
    'You called Read with {"file_path":"/c"}',
    "Result of Read: found",
  ]);
  expect(steps[2]).toHaveLength("Result of Read: ".length + 5_000);
});

test("of an old result the record has head and tail, of the newest ones all", async () => {
  const long = "x".repeat(40_000);
  const facts = [user("Mend it."), ...["a", "b"].flatMap((id) => reads(id, `/${id}`, long))];
  const text = textOf(await fold(facts, { windowTokens: 60_000 }));
  const results = text.split("\n\n").filter((step) => step.startsWith("Result"));
  expect(results.map(({ length }) => length - "Result of Read: ".length)).toEqual([3_999, 40_000]);
  expect(text).toContain("characters cut");
});

test("the record has what is sent of a result that was cut", async () => {
  const facts = [
    user("Mend it."),
    ...reads("a", "/a", "lines"),
    freeCut({ changes: [{ kind: "replace", entry: "e4", text: "[cleared]" }] }),
  ];
  expect(textOf(await fold(facts))).toEndWith("Result of Read: [cleared]");
});

test("without an open loop there is nothing to fold", async () => {
  expect(await fold([user("Hi."), says("Hello."), user("Go.")])).toBeNull();
  expect(await fold([user("Hi.")])).toBeNull();
});

test("a loop that is folded again keeps the user's words and a summary, and says where results are", async () => {
  const facts: Fact[] = [
    user("Always use tabs."),
    says("Good."),
    user("Mend it."),
    ...Array.from({ length: 300 }, (_, n) => [
      calls(`a${n}`, "Read", { file_path: `/${n}` }),
      gives(`a${n}`, "Read", "x".repeat(4_000), n % 2 ? {} : { file: `/r/${n}` }),
    ]).flat(),
  ];
  const small = { windowTokens: 20_000 };
  const cover = { kind: "cover", span: { from: "e2", to: "e8" }, text: "SUMMARY" } as const;
  facts.push(freeCut({ trigger: "too-long", changes: [cover], midLoop: true }));
  // By the count of the server, the request still fits.
  const counted: Fact = { type: "count", tokens: 10_000 };
  facts.push(counted);
  const first = await fold(facts, small);
  if (!first) throw new Error("Nothing was folded.");
  facts.push(first, user("And mind the tests."), ...reads("z", "/z", "y".repeat(4_000)));
  const again = await fold(facts, small);
  if (!again) throw new Error("Nothing was folded.");
  expect(project(makePath(...facts, again)).rejected).toEqual([]);
  const text = textOf(again);
  expect(text.split("SUMMARY")).toHaveLength(2);
  expect(text).toContain("The user: And mind the tests.");
  expect(text).toContain("y".repeat(4_000));
  expect(text).toMatch(/earlier calls left out/);
  expect(text).toMatch(/\[1 line; recall #e\d+\]/);
  expect(text).toMatch(/Result of Read: \[1 line; \/r\/\d+\]/);
  expect(text.length).toBeLessThan(small.windowTokens * 2);
});
