import { expect, test } from "bun:test";
import { budget } from "../../../src/context/tiers/budget.ts";
import type { Change, FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../build.ts";
import { compact, read } from "../compact.ts";
import { prose } from "../sessions.ts";

/** A step for each text, and three short ones that no tier may cut. */
function steps(...texts: string[]): Builder {
  const one = new Builder();
  one.user("Go.");
  for (const [n, text] of [...texts, "a", "b", "c"].entries())
    one.step(`c${n}`, text, { tool: "Bash" });
  one.answer([say("Done.")]);
  one.user("And now?");
  return one;
}

const trims = (one: Builder, utilization: number, policy = defaultPolicy): Change[] => {
  const reading = { ...read(one, rules, policy), utilization };
  return budget({ view: one.view, reading, policy, rules });
};

const trimmed = (one: Builder, utilization: number): string[] =>
  trims(one, utilization).flatMap((change) => ("entry" in change ? change.entry : []));

test("results over 30,000 characters are trimmed from 50 % on, over 15,000 above 70 %", () => {
  const one = steps(prose(40_000), prose(30_000), prose(30_001), prose(15_001), prose(15_000));
  expect(trimmed(one, 0.4999)).toEqual([]);
  expect(trimmed(one, 0.5)).toEqual(["e4", "e8"]);
  expect(trimmed(one, 0.7)).toEqual(["e4", "e8"]);
  expect(trimmed(one, 0.7001)).toEqual(["e4", "e6", "e8", "e10"]);
});

test("a trimmed result keeps head and tail within the limit, and is trimmed again only to the lower one", () => {
  const one = steps(prose(40_000));
  const changes = trims(one, 0.6);
  const [change] = changes;
  expect(change?.kind === "replace" && change.text.length).toBeWithin(29_000, 30_001);
  expect(change?.kind === "replace" && change.text).toContain("full text: recall #e4");
  one.cut(changes, "budget");
  expect(trimmed(one, 0.6)).toEqual([]);
  expect(trimmed(one, 0.9)).toEqual(["e4"]);
});

test("the newest results, pins and readings of files in work stay whole", () => {
  const stamp: FileStamp = { path: "/w/a", does: "read", hash: "h", bytes: 1 };
  const one = new Builder();
  one.user("Go.");
  const file = one.step("f", prose(40_000), { stamps: [stamp] });
  const pinned = one.step("p", prose(40_000), { tool: "Bash" });
  one.add({ type: "pin", entry: pinned.id, on: true });
  for (const n of [1, 2, 3]) one.step(`n${n}`, prose(40_000), { tool: "Bash" });
  expect(trimmed(one, 0.9)).toEqual([]);
  const bare = { ...defaultPolicy, policy: "thresholds" as const };
  expect(trims(one, 0.9, bare)).toMatchObject([{ entry: file.id }]);
});

test.each([20_000, 30_000])(
  "with messages of %i tokens in a window of 100,000, older ones are trimmed, at most every second turn",
  (tokens) => {
    const small = { ...rules, windowTokens: 100_000 };
    const one = new Builder({ system: "word ".repeat(7_400) });
    const tiers = new Set<string>();
    const cutAt: number[] = [];
    for (let turn = 0; turn < 14; turn++) {
      one.user(prose(tokens * 3.1));
      const plans = compact(one, "turnStart", small, defaultPolicy).map(({ plan }) => plan.tier);
      for (const tier of plans) tiers.add(tier);
      if (plans.length > 0) cutAt.push(turn);
      one.answer([say("Done.")]);
    }
    expect([...tiers]).toEqual(["budget"]);
    expect(cutAt.length).toBeLessThanOrEqual(6);
    // The turn after a cut needs none.
    expect(cutAt.filter((turn, n) => turn === (cutAt[n - 1] ?? -2) + 1)).toEqual([]);
  },
);

test("pins, restored messages and the newest turn's own stay whole where the window is full", () => {
  const one = new Builder();
  const first = one.user(prose(40_000));
  one.answer([say("Read.")]);
  const pinned = one.user(prose(40_000));
  one.add({ type: "pin", entry: pinned.id, on: true });
  one.answer([say("Read.")]);
  one.user(prose(40_000));
  expect(trimsFull(one)).toMatchObject([{ entry: first.id }]);
  expect(trims(one, 0.8)).toEqual([]);
});

/** What is trimmed where a summary would be due. */
const trimsFull = (one: Builder): Change[] => {
  const reading = { ...read(one, rules, defaultPolicy), utilization: 0.9, usedTokens: 1e9 };
  return budget({ view: one.view, reading, policy: defaultPolicy, rules });
};

test("instructions in the middle of a pasted text stay, word for word, and it is trimmed once", () => {
  const rule = "Never change the public interface of the lexer.";
  const one = new Builder();
  const pasted = one.user(`${prose(60_000)}\n${rule}\n${prose(60_000)}`);
  one.answer([say("Read.")]);
  one.user("And now?");
  const changes = trimsFull(one);
  expect(changes).toMatchObject([{ entry: pasted.id }]);
  const [change] = changes;
  expect(change?.kind === "replace" && change.text).toContain(rule);
  one.cut(changes, "budget");
  expect(trimsFull(one)).toEqual([]);
});

test("a pasted text that is all instructions stays whole", () => {
  const one = new Builder();
  const rule = (n: number): string => `Never call the function number ${n} of the old interface.`;
  one.user(Array.from({ length: 800 }, (_, n) => rule(n)).join("\n"));
  one.answer([say("Read.")]);
  one.user("And now?");
  expect(trimsFull(one)).toEqual([]);
});
