/** What a summary lost, as its report says. */

import { expect, test } from "bun:test";
import { composeSummary } from "../../../src/context/summary/compose.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { freeCut } from "../../facts.ts";
import { rules as usual } from "../build.ts";
import { calls, gives, makeView, reads, says, user } from "./say.ts";

/** Leaves no room for the user's own messages. */
const rules = { ...usual, windowTokens: 15 };

/** What a summary leaves out of these facts. */
const lost = (facts: readonly Fact[], summary: string): string[] => {
  const span = { from: "e2", to: `e${facts.length + 1}` };
  const { losses } = composeSummary({ view: makeView(...facts), span, summary, files: [], rules });
  return losses.flatMap(({ kind, text, entry }) =>
    kind === "instruction" ? [] : [`${kind} ${text} ${entry}`],
  );
};

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
  expect(
    lost(facts, "I decided to raise maxBytes rather than split the file, 4096 limits.ts"),
  ).toEqual(["path src/limits.ts e4"]);
});

test("a part of a longer name or number does not count as held; the last parts of a path do", () => {
  const facts = [user("maxBytes is 4096, see /w/src/lib/a.ts")];
  expect(lost(facts, "maxBytesTotal 40961 lib/aa.ts")).toHaveLength(3);
  expect(lost(facts, "maxBytes 4096 lib/a.ts")).toEqual([]);
  expect(lost([user("and/or src/lib/deep")], "")).toEqual(["path src/lib/deep e2"]);
});

test("passing mentions, and numbers of files and pasted logs, are not reported", () => {
  const facts = [user("look"), ...reads("t1", "/w/a.ts", "  101\tconst seenOnce = 1;\n  102\t}")];
  expect(lost(facts, "/w/a.ts")).toEqual([]);
  const log = Array.from({ length: 40 }, (_, n) => `[${n}] 10.0.0.${n}: ${n * 137} 200 ok`);
  expect(lost([user(`The timeout is 4500 ms.\n${log.join("\n")}`)], "nothing")).toEqual([
    "number 4500 ms e2",
  ]);
});

test("the report is bounded, most used first", () => {
  const many = Array.from({ length: 50 }, (_, index) => `lib/file${index}.ts`);
  const report = lost([user(many.join(" ")), says("lib/file41.ts lib/file41.ts")], "");
  expect(report[0]).toBe("path lib/file41.ts e3");
  expect(report).toHaveLength(12);
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
  expect(reported("1 fail\nError: it broke at once")).toEqual(["user", "model", "result"]);
  expect(reported("I chose this because of that.")).toEqual(["model"]);
  expect(reported("the limit is 42 now")).toEqual(["user", "model"]);
  expect(reported("the limit is 7 now")).toEqual([]);
});

test("a file that a call read or wrote counts by itself", () => {
  expect(lost([...reads("t", "/w/lib/a.ts", "text")], "")).toEqual(["path /w/lib/a.ts e3"]);
});

test("an earlier summary counts as the model's text; what it covers is not read again", () => {
  const facts = [user("go"), says("maxBytes in lib/a.ts"), user("on")];
  expect(lost(facts, "")).toHaveLength(2);
  const covered = (text: string): Fact =>
    freeCut({ changes: [{ kind: "cover", span: { from: "e2", to: "e3" }, text }] });
  expect(lost([...facts, covered("Done.")], "")).toEqual([]);
  expect(lost([...facts, covered("minBytes in lib/b.ts, because of c.")], "")).toEqual([
    "path lib/b.ts e5",
    "identifier minBytes e5",
    "decision minBytes in lib/b.ts, because of c. e5",
  ]);
});
