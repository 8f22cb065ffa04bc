/** An open tool loop whose thinking the server refuses becomes a record of what was done. */

import { expect, test } from "bun:test";
import { project } from "../../src/context/view/view.ts";
import { ModelError } from "../../src/model/client.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { noPrice } from "../context/build.ts";
import { calls, gives, makePath, says, session, user } from "../context/summary/say.ts";
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

const makeCut = (entry: string, text: string): Fact => ({
  type: "cut",
  tier: "manual",
  trigger: "inspector",
  reason: "r",
  changes: [{ kind: "replace", entry, text }],
  price: noPrice,
});

test("an open loop becomes a record of what was said, called and found", async () => {
  const long = "x".repeat(5_000);
  const cut = await fold([
    user("Mend it."),
    { ...calls("a", "Read", { file_path: "/a" }, "I look."), stop: "failed" } as Fact,
    calls("b", "Read", { file_path: "/b" }, "I look again."),
    gives("b", "Read", long),
    user("And c!"),
    calls("c", "Read", { file_path: "/c" }),
    gives("c", "Read", "found"),
  ]);
  expect(cut).toMatchObject({ tier: "manual", trigger: "auto", midLoop: true });
  const [change] = cut?.changes ?? [];
  if (change?.kind !== "cover") throw new Error("Nothing is covered.");
  expect(change.span).toEqual({ from: "e4", to: "e8" });
  const [head, ...steps] = change.text.split("\n\n");
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
  const facts = [
    user("Mend it."),
    ...["a", "b"].flatMap((id) => [
      calls(id, "Read", { file_path: `/${id}` }),
      gives(id, "Read", long),
    ]),
  ];
  const [change] = (await fold(facts, { windowTokens: 60_000 }))?.changes ?? [];
  const text = change?.kind === "cover" ? change.text : "";
  const results = text.split("\n\n").filter((step) => step.startsWith("Result"));
  expect(results.map(({ length }) => length - "Result of Read: ".length)).toEqual([3_999, 40_000]);
  expect(text).toContain("characters cut");
});

test("the record has what is sent of a result that was cut", async () => {
  const facts = [
    user("Mend it."),
    calls("a", "Read", { file_path: "/a" }),
    gives("a", "Read", "lines"),
    makeCut("e4", "[cleared]"),
  ];
  const [change] = (await fold(facts))?.changes ?? [];
  expect(change?.kind === "cover" && change.text).toEndWith("Result of Read: [cleared]");
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
  const summary = { type: "cut", tier: "summary", trigger: "too-long", reason: "r" } as const;
  facts.push({ ...summary, changes: [cover], price: noPrice, midLoop: true });
  // By the count of the server, the request still fits.
  const counted: Fact = { type: "count", tokens: 10_000 };
  facts.push(counted);
  const first = await fold(facts, small);
  if (!first) throw new Error("Nothing was folded.");
  facts.push(
    first,
    user("And mind the tests."),
    calls("z", "Read", { file_path: "/z" }),
    gives("z", "Read", "y".repeat(4_000)),
  );
  const again = await fold(facts, small);
  if (!again) throw new Error("Nothing was folded.");
  expect(project(makePath(...facts, again)).rejected).toEqual([]);
  const [change] = again.changes;
  const text = change?.kind === "cover" ? change.text : "";
  expect(text).toContain("SUMMARY");
  expect(text).toContain("The user: And mind the tests.");
  expect(text).toContain("y".repeat(4_000));
  expect(text).toMatch(/earlier calls left out/);
  expect(text).toMatch(/\[1 line; recall #e\d+\]/);
  expect(text).toMatch(/\[1 line; \/r\/\d+\]/);
  expect(text.length).toBeLessThan(small.windowTokens * 2);
});
