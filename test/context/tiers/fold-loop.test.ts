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

test("of an old result the record has the beginning, of the newest ones all", async () => {
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
  expect(results.map(({ length }) => length - "Result of Read: ".length)).toEqual([4_000, 40_000]);
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
