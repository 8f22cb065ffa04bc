import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import { budget } from "../../../src/context/tiers/budget.ts";
import type { Change, FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../build.ts";
import { read } from "../compact.ts";
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

test("results over 8,000 characters are trimmed from 50 % on, over 4,000 above 70 %", () => {
  const one = steps(prose(40_000), prose(8_000), prose(13_000), prose(6_500), prose(4_000));
  expect(trimmed(one, 0.4999)).toEqual([]);
  expect(trimmed(one, 0.5)).toEqual(["e4", "e8"]);
  expect(trimmed(one, 0.7)).toEqual(["e4", "e8"]);
  expect(trimmed(one, 0.7001)).toEqual(["e4", "e6", "e8", "e10"]);
});

test("a trimmed result keeps head and tail within the limit, and is trimmed again only to the lower one", () => {
  const one = steps(prose(40_000));
  const changes = trims(one, 0.6);
  const [change] = changes;
  expect(change?.kind === "replace" && change.text.length).toBeWithin(7_000, 8_001);
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
  expect(trims(one, 0.9, { ...defaultPolicy, keepFileCalls: 100 })).toEqual([]);
  const bare = { ...defaultPolicy, ...bareRules };
  expect(trims(one, 0.9, bare)).toMatchObject([{ entry: file.id }]);
});
