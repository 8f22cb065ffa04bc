import { expect, test } from "bun:test";
import { foldOpenLoop } from "../../../src/context/tiers/fold-loop.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { project } from "../../../src/context/view/view.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { noPrice } from "../build.ts";
import { calls, gives, makePath, says, user } from "../summary/say.ts";
import { rules } from "../../agent/scripted.ts";

/** The record of the open loop of these facts; null: there is none. */
function fold(facts: readonly Fact[], model: ModelRules = rules) {
  const view = project(makePath(...facts));
  const reading = measure(view, model, defaultPolicy, 0);
  return foldOpenLoop({ view, reading, policy: defaultPolicy, rules: model });
}

const makeCut = (entry: string, text: string): Fact => ({
  type: "cut",
  tier: "manual",
  trigger: "inspector",
  reason: "r",
  changes: [{ kind: "replace", entry, text }],
  price: noPrice,
});

test("an open loop becomes a record of what was said, called and found", () => {
  const long = "x".repeat(5_000);
  const cut = fold([
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

test("of an old result the record has head and tail, of the newest ones all", () => {
  const long = "x".repeat(40_000);
  const facts = [
    user("Mend it."),
    ...["a", "b"].flatMap((id) => [
      calls(id, "Read", { file_path: `/${id}` }),
      gives(id, "Read", long),
    ]),
  ];
  const [change] = fold(facts, { ...rules, windowTokens: 60_000 })?.changes ?? [];
  const text = change?.kind === "cover" ? change.text : "";
  const results = text.split("\n\n").filter((step) => step.startsWith("Result"));
  expect(results.map(({ length }) => length - "Result of Read: ".length)).toEqual([3_999, 40_000]);
  expect(text).toContain("characters cut");
});

test("the record has what is sent of a result that was cut", () => {
  const facts = [
    user("Mend it."),
    calls("a", "Read", { file_path: "/a" }),
    gives("a", "Read", "lines"),
    makeCut("e4", "[cleared]"),
  ];
  const [change] = fold(facts)?.changes ?? [];
  expect(change?.kind === "cover" && change.text).toEndWith("Result of Read: [cleared]");
});

test("without an open loop there is nothing to fold", () => {
  expect(fold([user("Hi."), says("Hello."), user("Go.")])).toBeNull();
  expect(fold([user("Hi.")])).toBeNull();
});

test("a loop that is folded again keeps the user's words and a summary, and says where results are", () => {
  const facts: Fact[] = [
    user("Always use tabs."),
    says("Good."),
    user("Mend it."),
    ...Array.from({ length: 300 }, (_, n) => [
      calls(`a${n}`, "Read", { file_path: `/${n}` }),
      gives(`a${n}`, "Read", "x".repeat(4_000), n % 2 ? {} : { file: `/r/${n}` }),
    ]).flat(),
  ];
  const small = { ...rules, windowTokens: 20_000 };
  const cover = { kind: "cover", span: { from: "e2", to: "e8" }, text: "SUMMARY" } as const;
  const summary = { type: "cut", tier: "summary", trigger: "too-long", reason: "r" } as const;
  facts.push({ ...summary, changes: [cover], price: noPrice, midLoop: true });
  const first = fold(facts, small);
  if (!first) throw new Error("Nothing was folded.");
  facts.push(
    first,
    user("And mind the tests."),
    calls("z", "Read", { file_path: "/z" }),
    gives("z", "Read", "y".repeat(4_000)),
  );
  const again = fold(facts, small);
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
