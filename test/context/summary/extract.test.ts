/** The summary that is built without a model. */

import { expect, test } from "bun:test";
import { composeSummary } from "../../../src/context/summary/compose.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { freeCut } from "../../facts.ts";
import { rules as usual } from "../build.ts";
import { calls, gives, makeView, reads, says, stamp, told, user } from "./say.ts";

const rules = { ...usual, charsPerToken: { prose: 40, code: 40, result: 40 } };

/** What stands for the facts and for as many characters `beside` them, of which it takes a third at most. */
function extract(facts: readonly Fact[], beside = 400_000): string {
  const view = makeView(...facts, told("reminder", "t", "x".repeat(beside)));
  const span = { from: "e2", to: `e${facts.length + 2}` };
  const { text } = composeSummary({ view, span, summary: null, files: [], rules });
  expect(text).toContain("built without a model");
  return /<summary>\n([^]*)\n<\/summary>/.exec(text)?.[1] ?? "";
}

/** The lines of a section, by a word of its title. */
const linesOf = (summary: string, title: string): string[] =>
  summary
    .split(/^## \d+\. /m)
    .filter((section) => section.startsWith(title))
    .flatMap((section) => section.trim().split("\n").slice(1))
    .map((line) => line.replace("- ", ""));

const failed = { stop: "failed" as const };

const facts: Fact[] = [
  user("Mend the parser in src/parser.ts. Never touch the lexer."),
  ...reads("t1", "/w/src/parser.ts", "1\tparse()"),
  calls("t2", "Bash", { command: "bun test" }, "I decided to rewrite parse() because it recursed."),
  gives("t2", "Bash", "12 pass\n3 fail", { isError: true }),
  calls("t2", "Edit", { file_path: "/w/src/parser.ts" }),
  gives("t2", "Edit", "changed", { stamps: [stamp("/w/src/parser.ts", "write")] }),
  calls("t4", "TodoWrite", {
    todos: [
      { content: "mend", status: "completed" },
      { content: "commit", status: "pending" },
      { content: "run the tests again", status: "in_progress" },
    ],
  }),
  gives("t4", "TodoWrite", "ok"),
  user("And go on?"),
  says("The parser no longer recurses."),
  { ...calls("t5", "Bash", { command: "make" }, "I decided to stop, because of this."), ...failed },
];

test("it has the sections of a written summary, without those that would be empty", () => {
  expect(extract(facts)).toBe(`## 1. Intent
- Mend the parser in src/parser.ts. Never touch the lexer.

## 2. Decisions
- I decided to rewrite parse() because it recursed.

## 3. Files
- changed: /w/src/parser.ts

## 4. Errors
- Bash (#e6): 12 pass 3 fail

## 5. Open work
- commit
- run the tests again (in progress)

## 6. Current state
- \`bun test\`: failed: 3 fail
- The parser no longer recurses.

## 7. Next step
- run the tests again`);
  expect(extract([user("Hello.")])).toBe(`## 1. Intent
- Hello.

## 2. Next step
- Hello.`);
});

test("long texts are clipped, each by what it is", () => {
  const long = (start: string) => `${start} ${"x".repeat(3_000)}`;
  const clipped = extract([
    user(long("First,")),
    user(`Never ${"y".repeat(390)}. ${"Always ".repeat(90)}.`),
    calls("t", "Bash", { command: long("run") }, `${long("I decided")}.`),
    gives("t", "Bash", long("out"), { isError: true }),
    says(long("So it stands.")),
  ]);
  const lengths = (title: string) => linesOf(clipped, title).map((line) => line.length);
  expect(lengths("Intent")).toEqual([800, 397, 400]);
  expect(lengths("Decisions")).toEqual([300]);
  expect(lengths("Errors")).toEqual(["Bash (#e5): ".length + 240]);
  expect(lengths("Current state")).toEqual(["``: failed: ".length + 120 + 160, 1_500]);
  expect(lengths("Next step")).toEqual([57]);
});

test("commands say how they ended: their last words, or that there is no result", () => {
  const commands = (...given: Fact[]) => linesOf(extract(given), "Current state");
  expect(
    commands(
      calls("a", "Bash", { command: "one" }),
      gives("a", "Bash", "first\nlast\n---\n"),
      calls("b", "Bash", { command: "two" }),
      gives("b", "Bash", "---\n"),
      calls("c", "Read", { file_path: "three" }),
      gives("c", "Read", "text"),
      calls("d", "Bash", { command: "four" }),
    ),
  ).toEqual(["`one`: last", "`two`: (no output)", "`four`: no result"]);
  const silent = calls("a", "Bash", { command: "one" }, " \n");
  const half = { ...says("Half a"), ...failed };
  expect(commands(says("It stands."), silent, gives("a", "Bash", "last"), half)).toEqual([
    "`one`: last",
    "It stands.",
  ]);
});

test("it keeps the newest of many items, and the first files", () => {
  const many = Array.from({ length: 60 }, (_, n) => [
    ...reads(`r${n}`, `/w/${n}.ts`, "1"),
    calls(`b${n}`, "Bash", { command: `run ${n}` }, `I decided to take way ${n}, to be sure.`),
    gives(`b${n}`, "Bash", `out ${n}`, { isError: true }),
  ]).flat();
  const long = extract([user("Go."), ...many]);
  const lines = (title: string) => linesOf(long, title);
  expect(lines("Errors")).toHaveLength(8);
  expect(lines("Errors").at(-1)).toContain("out 59");
  expect(lines("Decisions")).toHaveLength(12);
  expect(lines("Decisions").at(-1)).toContain("way 59");
  expect(lines("Current state").filter((line) => line.startsWith("`run"))).toHaveLength(12);
  expect(lines("Files")).toHaveLength(40);
});

test("each answer is quoted once, and a request that was answered is no next step", () => {
  const said = extract([
    user("Which port is free?"),
    says("I decided that 8443 is free, because nothing listens there."),
    { ...says("No, it is"), ...failed },
    user("And which is not?"),
    says("80 is taken."),
  ]);
  expect(said.split("8443")).toHaveLength(2);
  expect(said.split("80 is taken")).toHaveLength(2);
  expect(said).toContain("## 2. Your answers\n- #e3: I decided that 8443");
  expect(linesOf(said, "Next step")).toEqual([
    "None: the latest request was answered. Wait for the user.",
  ]);
  const asked = extract([user("Hello."), says("Hi."), user("Why?")]);
  expect(linesOf(asked, "Next step")).toEqual(["Why?"]);
});

test("it carries an earlier summary, of one that is long only the decisions, and keeps to its size", () => {
  const again = (earlier: string, beside?: number) => {
    const cover = { kind: "cover" as const, span: { from: "e2", to: "e4" }, text: earlier };
    return extract([...facts, freeCut({ changes: [cover] })], beside);
  };
  expect(again("The lexer was done.")).toStartWith(
    "From the earlier summary:\nThe lexer was done.",
  );
  const state = `## State\n${"so it stands ".repeat(500)}`;
  const short = again(`${state}\n## Decisions\n- memory only`, 3_000);
  expect(short).toContain("memory only");
  expect(short).not.toContain("so it stands");
  expect(again(state, 3_000)).toContain("so it stands");
  expect(extract([user("a word ".repeat(300)), says("b ".repeat(300))], 0).length).toBeWithin(
    900,
    970,
  );
});
