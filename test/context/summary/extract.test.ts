import { expect, test } from "bun:test";
import { extractSummary } from "../../../src/context/summary/extract.ts";
import { wholeRange } from "../../../src/context/view/rows.ts";
import { readSummary, linesAbout } from "../../../src/context/summary/read.ts";
import { calls, gives, reads, says, stamp, user, makeView } from "./say.ts";

const facts = [
  user("Mend the parser in src/parser.ts. Never touch the lexer."),
  ...reads("t1", "/w/src/parser.ts", "1\tparse()"),
  calls("t2", "Bash", { command: "bun test" }, "I decided to rewrite parse() because it recursed."),
  gives("t2", "Bash", "12 pass\n3 fail", { isError: true }),
  calls("t3", "Edit", { file_path: "/w/src/parser.ts" }),
  gives("t3", "Edit", "changed", { stamps: [stamp("/w/src/parser.ts", "write")] }),
  calls("t4", "TodoWrite", {
    todos: [
      { content: "mend", status: "completed" },
      { content: "run the tests again", status: "in_progress" },
    ],
  }),
  gives("t4", "TodoWrite", "ok"),
  user("And go on?"),
  says("The parser no longer recurses."),
];

const text = extractSummary(wholeRange(makeView(...facts)));

test("it has the sections of a written summary, without those that would be empty", () => {
  expect(text).toBe(`## 1. Intent
- Mend the parser in src/parser.ts. Never touch the lexer.

## 2. Decisions
- I decided to rewrite parse() because it recursed.

## 3. Files
- changed: /w/src/parser.ts

## 4. Errors
- Bash (#e6): 12 pass 3 fail

## 5. Open work
- run the tests again (in progress)

## 6. Current state
- \`bun test\`: failed: 3 fail
- The parser no longer recurses.

## 7. Next step
- run the tests again`);
  expect(extractSummary(wholeRange(makeView(user("Hello."))))).toBe(`## 1. Intent
- Hello.

## 2. Next step
- Hello.`);
});

test("long texts are clipped, each by what it is", () => {
  const long = (start: string) => `${start} ${"x".repeat(3_000)}`;
  const clipped = extractSummary(
    wholeRange(
      makeView(
        user(long("First,")),
        user(`Never ${"y".repeat(390)}. ${"Always ".repeat(90)}.`),
        calls("t", "Bash", { command: long("run") }, `${long("I decided")}.`),
        gives("t", "Bash", long("out"), { isError: true }),
        says(long("So it stands.")),
      ),
    ),
  );
  const lengths = (category: Parameters<typeof linesAbout>[1]) =>
    linesAbout(clipped, category).map((line) => line.length);
  expect(lengths("needs")).toEqual([800, 397, 400]);
  expect(lengths("decisions")).toEqual([300]);
  expect(lengths("errors")).toEqual(["Bash (#e5): ".length + 240]);
  expect(lengths("state")).toEqual(["``: failed: ".length + 120 + 160, 1_500]);
  expect(lengths("next")).toEqual([57]);
});

test("commands say how they ended: their last words, or that there is no result", () => {
  const commands = (...facts: Parameters<typeof makeView>) =>
    linesAbout(extractSummary(wholeRange(makeView(...facts))), "state");
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
  expect(commands(says("It stands."), silent, gives("a", "Bash", "last"))).toEqual([
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
  const long = extractSummary(wholeRange(makeView(user("Go."), ...many)), { maxChars: 100_000 });
  const lines = (category: Parameters<typeof linesAbout>[1]) => linesAbout(long, category);
  expect(lines("errors")).toHaveLength(8);
  expect(lines("errors").at(-1)).toContain("out 59");
  expect(lines("decisions")).toHaveLength(12);
  expect(lines("decisions").at(-1)).toContain("way 59");
  expect(lines("state").filter((line) => line.startsWith("`run"))).toHaveLength(12);
  expect(lines("files")).toHaveLength(40);
});

test("each answer is quoted once, and a request that was answered is no next step", () => {
  const said = extractSummary(
    wholeRange(
      makeView(
        user("Which port is free?"),
        says("I decided that 8443 is free, because nothing listens there."),
        user("And which is not?"),
        says("80 is taken."),
      ),
    ),
  );
  expect(said.split("8443")).toHaveLength(2);
  expect(said.split("80 is taken")).toHaveLength(2);
  expect(said).toContain("## 2. Your answers\n- #e3: I decided that 8443");
  expect(linesAbout(said, "next")).toEqual([
    "None: the latest request was answered. Wait for the user.",
  ]);
  const asked = extractSummary(wholeRange(makeView(user("Hello."), says("Hi."), user("Why?"))));
  expect(linesAbout(asked, "next")).toEqual(["Why?"]);
});

test("it reads like a model's summary", () => {
  expect(readSummary(text, "end_turn")).toEqual({ text });
});

test("it carries an earlier summary, and keeps to its size", () => {
  const all = wholeRange(makeView(...facts));
  expect(extractSummary(all, { earlier: "The lexer was done." })).toContain("The lexer was done.");
  const state = `## State\n${"so it stands ".repeat(500)}`;
  const shortened = (earlier: string) => extractSummary(all, { earlier, maxChars: 1_200 });
  const short = shortened(`${state}\n## Decisions\n- memory only`);
  expect(short.length).toBeLessThanOrEqual(1_202);
  expect(short).toContain("memory only");
  expect(short).not.toContain("so it stands");
  expect(shortened(state)).toContain("so it stands");
});

test("no rows make an empty text, not an error", () => {
  expect(extractSummary({ ...wholeRange(makeView()), to: -1 })).toBe("");
});

test.each([
  ["## Decisions\n- a\n- b", "decisions", ["a", "b"]],
  ["1. **Primary Request and Intent:**\n  x", "needs", ["x"]],
  ["**Pending Tasks**\n- y", "open", ["y"]],
  ["2. Decisions: one line", "decisions", ["one line"]],
  ["### Files and Code Sections\na.ts", "files", ["a.ts"]],
  ["8. Next step: run it", "next", ["run it"]],
  ["plain words", "other", ["plain words"]],
] as const)("sections however they are named: %p", (summary, category, lines) => {
  expect(linesAbout(summary, category)).toEqual([...lines]);
});
