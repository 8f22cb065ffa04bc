import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import { snip, supersededReads } from "../../../src/context/tiers/snip.ts";
import type { FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../build.ts";
import { read } from "../compact.ts";
import { prose } from "../sessions.ts";

const stamp = (path: string, does: FileStamp["does"], lines?: [number, number]): FileStamp => ({
  path,
  does,
  hash: "h",
  bytes: 1,
  ...(lines ? { lines } : {}),
});

/** Which of the results are stale, by their number. */
function stale(...results: FileStamp[][]): number[] {
  const session = new Builder();
  session.user("Go.");
  const ids = results.map((stamps, n) => session.step(`c${n}`, `text ${n}`, { stamps }).id);
  const gone = supersededReads(session.view);
  return ids.flatMap((id, n) => (gone.has(id) ? [n] : []));
}

test.each<[string, FileStamp[], number[]]>([
  ["the whole", [stamp("/a", "read", [5, 9]), stamp("/a", "read")], [0]],
  ["a part", [stamp("/a", "read"), stamp("/a", "read", [5, 9])], []],
  ["the same lines", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [5, 9])], [0]],
  ["fewer lines at the start", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [6, 9])], []],
  ["fewer lines at the end", [stamp("/a", "read", [5, 9]), stamp("/a", "read", [5, 8])], []],
  ["another file", [stamp("/a", "read"), stamp("/b", "read")], []],
])("a read is stale once %s was read later", (_, reads, expected) => {
  expect(stale(...reads.map((one) => [one]))).toEqual(expected);
});

test("a read is stale once its file was written; a write never is", () => {
  expect(stale([stamp("/a", "read")], [stamp("/a", "write")], [stamp("/a", "read")])).toEqual([0]);
});

test("a result that shows several files is stale only when all of them are", () => {
  const both = [stamp("/a", "read"), stamp("/b", "read")];
  expect(stale(both, [stamp("/a", "read")])).toEqual([]);
  expect(stale(both, [stamp("/a", "read")], [stamp("/b", "read")])).toEqual([0]);
  expect(stale([stamp("/a", "read"), stamp("/b", "write")], both)).toEqual([]);
});

/** What is dropped when so much of the window is used. */
function dropped(one: Builder, utilization: number, changes: Partial<Policy> = {}): string[] {
  const policy = { ...defaultPolicy, ...changes };
  const reading = { ...read(one, rules, policy), utilization };
  return snip({ view: one.view, reading, policy, rules }).flatMap((change) =>
    "entry" in change ? [change.entry] : [],
  );
}

/** Two reads of one file, searches, commands, and three results that no tier may cut. */
function session(since = 0): Builder {
  const one = new Builder();
  one.user("Go.");
  for (const n of [1, 2]) one.step(`r${n}`, prose(900), { stamps: [stamp("/w/a", "read")] });
  for (const n of [1, 2, 3, 4]) one.step(`g${n}`, prose(900), { tool: "Grep" });
  for (const n of [1, 2, 3, 4, 5]) one.step(`b${n}`, prose(900), { tool: "Bash" });
  for (let n = 0; n < since; n++) one.step(`n${n}`, "short", { tool: "Bash" });
  one.answer([say("Done.")]);
  one.user("And now?");
  return one;
}

test("above 60 %, stale reads, and searches and commands beyond the newest three, are dropped", () => {
  const one = session();
  expect(dropped(one, 0.6)).toEqual([]);
  expect(dropped(one, 0.601)).toEqual(["e4", "e8", "e16", "e18"]);
  expect(dropped(one, 0.601, { keepSearches: 2 })).toEqual(["e4", "e8", "e10", "e16", "e18"]);
});

test("the newest reading of a file in work stays, even if the file was written since", () => {
  const one = new Builder();
  one.user("Go.");
  const reading = one.step("r", prose(900), { stamps: [stamp("/w/a", "read")] });
  one.step("w", "Written.", { tool: "Edit", stamps: [stamp("/w/a", "write")] });
  for (const n of [1, 2, 3]) one.step(`b${n}`, "short", { tool: "Bash" });
  expect(dropped(one, 0.9)).toEqual([]);
  expect(dropped(one, 0.9, { ...bareRules })).toEqual([reading.id]);
});
