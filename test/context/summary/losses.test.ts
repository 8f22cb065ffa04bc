import { expect, test } from "bun:test";
import { findLosses as findIn } from "../../../src/context/summary/losses.ts";
import { wholeRange } from "../../../src/context/view/rows.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { calls, gives, reads, says, user, makeView } from "./say.ts";

/** What a text leaves out of these facts. */
const findLosses = (facts: readonly Fact[], held: string) =>
  findIn(wholeRange(makeView(...facts)), held);

const lost = (facts: readonly Fact[], held: string) =>
  findLosses(facts, held).map(({ kind, text, entry }) => `${kind} ${text} ${entry}`);

test("lost paths, names, numbers and decisions are reported with their last entry", () => {
  const facts = [
    user("The limit in src/limits.ts is 4096 now"),
    says("I decided to raise maxBytes rather than split the file."),
    says("maxBytes in src/limits.ts is set."),
  ];
  expect(lost(facts, "")).toEqual([
    "path src/limits.ts e4",
    "identifier maxBytes e4",
    "number 4096 e2",
    "decision I decided to raise maxBytes rather than split the file. e3",
  ]);
});

test("a part of a longer name or number does not count as held", () => {
  const facts = [user("maxBytes is 4096, see lib/a.ts")];
  expect(lost(facts, "maxBytesTotal 40961 lib/aa.ts")).toHaveLength(3);
});

test("passing mentions and a file's line numbers are not reported", () => {
  const facts = [user("look"), ...reads("t1", "/w/a.ts", "  101\tconst seenOnce = 1;\n  102\t}")];
  expect(lost(facts, "/w/a.ts")).toEqual([]);
});

test("the report is bounded, most used first", () => {
  const many = Array.from({ length: 50 }, (_, index) => `lib/file${index}.ts`);
  const facts = [user(many.join(" ")), says("lib/file41.ts lib/file41.ts")];
  const report = lost(facts, "");
  expect(report[0]).toBe("path lib/file41.ts e3");
  expect(report).toHaveLength(12);
});

test("an error message that the summary drops is reported", () => {
  const facts = [
    user("Fix it."),
    calls("t", "bash", { command: "bun test" }),
    gives("t", "bash", "1 fail\nTypeError: undefined is not a function (near parse)\n", {
      isError: true,
    }),
  ];
  const lost = findLosses(facts, "Nothing of it.");
  expect(lost).toContainEqual({
    kind: "error",
    text: "TypeError: undefined is not a function (near parse)",
    entry: "e4",
  });
  expect(findLosses(facts, "TypeError: undefined is not a function (near parse)")).toEqual([]);
});

test("the numbers of a pasted log are not reported", () => {
  const log = Array.from({ length: 40 }, (_, n) => `[${n}] 10.0.0.${n}: ${n * 137} 200 ok`);
  const facts = [user(`The timeout is 4500 ms.\n${log.join("\n")}`)];
  const numbers = findLosses(facts, "nothing").filter(({ kind }) => kind === "number");
  expect(numbers.map(({ text }) => text)).toEqual(["4500 ms"]);
});

test("who mentions something decides whether once is enough", () => {
  const said = (text: string) => ({
    user: [user(text)],
    model: [says(text)],
    input: [calls("t", "Bash", { command: text })],
    result: [calls("t", "Bash", {}), gives("t", "Bash", text)],
  });
  const reported = (text: string) =>
    Object.entries(said(text)).flatMap(([who, facts]) => (lost(facts, "").length > 0 ? [who] : []));
  expect(reported("see lib/a.ts")).toEqual(["user", "model", "input"]);
  expect(reported("see maxBytes")).toEqual(["user", "model", "input"]);
  expect(reported("it is 4096 by default")).toEqual(["user", "model"]);
  expect(reported("Error: it broke at once")).toEqual(["user", "model", "result"]);
  expect(reported("I chose this because of that.")).toEqual(["model"]);
  expect(reported("it is 7")).toEqual([]);
});

test("a file that a call read or wrote counts by itself", () => {
  expect(lost([...reads("t", "/w/lib/a.ts", "text")], "")).toEqual(["path /w/lib/a.ts e3"]);
});

test("an earlier summary counts as the model's text; what it covers is not read again", () => {
  const facts = [user("go"), says("maxBytes in lib/a.ts"), user("on")];
  expect(lost(facts, "")).toHaveLength(2);
  const price = { usedBefore: 1, usedAfter: 1, cachedBroken: 0, usd: 0, breakEvenCalls: 0 };
  const covered = (text: string): Fact => {
    const changes = [{ kind: "cover" as const, span: { from: "e2", to: "e3" }, text }];
    return { type: "cut", tier: "summary", trigger: "auto", reason: "", changes, price };
  };
  expect(lost([...facts, covered("Done.")], "")).toEqual([]);
  expect(lost([...facts, covered("minBytes in lib/b.ts, because of c.")], "")).toEqual([
    "path lib/b.ts e5",
    "identifier minBytes e5",
    "decision minBytes in lib/b.ts, because of c. e5",
  ]);
});
