import { expect, test } from "bun:test";
import { foldOpenLoop } from "../../../src/context/tiers/fold-loop.ts";
import { Session } from "../../../src/agent/session.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { noPrice } from "../build.ts";
import { calls, gives, says, session as opening, user } from "../summary/say.ts";
import { MemoryLog } from "../../agent/memory-log.ts";
import { rules } from "../../agent/scripted.ts";

async function makeSession(...facts: Parameters<Session["append"]>[0][]): Promise<Session> {
  const session = new Session(new MemoryLog(), defaultPolicy, rules, () => 0);
  for (const fact of [opening, ...facts]) await session.append(fact);
  return session;
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
  const session = await makeSession(
    user("Mend it."),
    { ...calls("a", "Read", { file_path: "/a" }, "I look."), stop: "failed" } as never,
    calls("b", "Read", { file_path: "/b" }, "I look again."),
    gives("b", "Read", long),
    user("And c!"),
    calls("c", "Read", { file_path: "/c" }),
    gives("c", "Read", "found"),
  );
  const cut = foldOpenLoop(session.signals);
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
  const session = await makeSession(
    user("Mend it."),
    ...["a", "b"].flatMap((id) => [
      calls(id, "Read", { file_path: `/${id}` }),
      gives(id, "Read", long),
    ]),
  );
  const small = { ...session.rules, windowTokens: 60_000 };
  const [change] = foldOpenLoop({ ...session.signals, rules: small })?.changes ?? [];
  const text = change?.kind === "cover" ? change.text : "";
  const results = text.split("\n\n").filter((step) => step.startsWith("Result"));
  expect(results.map(({ length }) => length - "Result of Read: ".length)).toEqual([3_999, 40_000]);
  expect(text).toContain("characters cut");
});

test("the record has what is sent of a result that was cut", async () => {
  const session = await makeSession(
    user("Mend it."),
    calls("a", "Read", { file_path: "/a" }),
    gives("a", "Read", "lines"),
    makeCut("e4", "[cleared]"),
  );
  const [change] = foldOpenLoop(session.signals)?.changes ?? [];
  expect(change?.kind === "cover" && change.text).toEndWith("Result of Read: [cleared]");
});

test("without an open loop there is nothing to fold", async () => {
  expect(
    foldOpenLoop((await makeSession(user("Hi."), says("Hello."), user("Go."))).signals),
  ).toBeNull();
  expect(foldOpenLoop((await makeSession(user("Hi."))).signals)).toBeNull();
});

test("a loop that is folded again keeps the user's words and a summary, and says where results are", async () => {
  const session = await makeSession(
    user("Always use tabs."),
    says("Good."),
    user("Mend it."),
    ...Array.from({ length: 300 }, (_, n) => [
      calls(`a${n}`, "Read", { file_path: `/${n}` }),
      gives(`a${n}`, "Read", "x".repeat(4_000)),
    ]).flat(),
  );
  const small = { ...session.rules, windowTokens: 20_000 };
  await session.append({
    type: "cut",
    tier: "summary",
    trigger: "too-long",
    reason: "r",
    changes: [{ kind: "cover", span: { from: "e2", to: "e8" }, text: "SUMMARY" }],
    price: noPrice,
    midLoop: true,
  });
  const fold = async (): Promise<string> => {
    const cut = foldOpenLoop({ ...session.signals, rules: small });
    if (!cut) throw new Error("Nothing was folded.");
    await session.append(cut);
    const [change] = cut.changes;
    return change?.kind === "cover" ? change.text : "";
  };
  await fold();
  await session.append(user("And mind the tests."));
  await session.append(calls("z", "Read", { file_path: "/z" }));
  await session.append(gives("z", "Read", "y".repeat(4_000)));
  const text = await fold();
  expect(session.view.rejected).toEqual([]);
  expect(text).toContain("SUMMARY");
  expect(text).toContain("The user: And mind the tests.");
  expect(text).toContain("y".repeat(4_000));
  expect(text).toMatch(/earlier calls left out/);
  expect(text.length).toBeLessThan(small.windowTokens * 2);
});
