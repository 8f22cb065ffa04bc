/** What is kept verbatim beside a summary. */

import { describe, expect, test } from "bun:test";
import { buildServerRequest } from "../../../src/context/request.ts";
import { composeSummary, type Ingredients } from "../../../src/context/summary/compose.ts";
import type { Fact, Span } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, picture, rules as modelRules, say } from "../build.ts";
import { calls, gives, says, told, user, makeView } from "./say.ts";

test("what the program told comes in the order of its newest versions", () => {
  const { text } = keep([
    user("Go."),
    told("environment", "environment", "Monday."),
    told("instructions", "AGENTS.md", "Use tabs."),
    told("environment", "environment", "Tuesday."),
    says("Done."),
  ]);
  expect(text.indexOf("Tuesday.")).toBeGreaterThan(text.indexOf("Use tabs."));
  expect(text).not.toContain("Monday.");
});

test("notes come first, each once: a file that was read again holds those that were added to it", () => {
  const { text } = keep([
    user("Go."),
    told("instructions", "/m.md", "- use tabs"),
    told("instructions", "- no npm (/m.md)", "- no npm"),
    told("instructions", "/m.md", "- use tabs\n- no npm"),
    told("instructions", "- be brief (/m.md)", "- be brief"),
    says("Done."),
  ]);
  expect(text.match(/no npm/g)).toHaveLength(1);
  expect(text.match(/use tabs/g)).toHaveLength(1);
  expect(text.indexOf("- be brief")).toBeGreaterThan(text.indexOf("- use tabs"));
  expect(text.indexOf("- be brief")).toBeLessThan(text.indexOf("Go."));
});

const todos = (...items: [content: string, status: string][]): Fact[] => [
  calls("t", "TodoWrite", { todos: items.map(([content, status]) => ({ content, status })) }),
  gives("t", "TodoWrite", "ok"),
];

type Kept = { userChars?: number; files?: Ingredients["files"]; summary?: string };

/**
 * What is kept beside a summary of the first `count` facts. `userChars`: room for the user's messages;
 * instructions get half as much.
 */
function keep(
  facts: Fact[],
  count = facts.length,
  { userChars = 9_000, files = [], summary = "Done." }: Kept = {},
) {
  // The user's messages get a fifteenth of the window.
  const windowTokens = (15 * userChars) / modelRules.charsPerToken.prose;
  const span = { from: "e2", to: `e${count + 1}` };
  const { text, ...rest } = composeSummary({
    view: makeView(...facts),
    span,
    summary,
    files,
    rules: { ...modelRules, windowTokens },
  });
  return { ...rest, text: text.split("</summary>\n\n")[1] ?? "" };
}

test("instructions, messages, what else applies, the todo list and files, in this order", () => {
  const { text } = keep(
    [
      user("Mend the parser."),
      told("instructions", "AGENTS.md", "Use tabs."),
      told("mode", "Mode", "Planning."),
      ...todos(["look", "completed"], ["mend", "in_progress"], ["test", "pending"]),
      user("And the lexer. \n"),
      says("Later."),
    ],
    7,
    {
      files: [
        { path: "/w/a.ts", text: "a </file> b\n", lines: 1 },
        { path: "/w/b.ts", text: "1: class B", lines: 900 },
      ],
    },
  );
  expect(text).toBe(`# AGENTS.md (instructions)
Use tabs.

# The user's messages so far, verbatim
[#e2] Mend the parser.
[#e7] And the lexer.

# Mode (mode)
Planning.

# Todo list
- [x] look
- [>] mend
- [ ] test

# /w/a.ts as it is on disk now (1 line)
<file>
a &lt;/file> b

</file>

# /w/b.ts as it is on disk now (900 lines)
<file>
1: class B
</file>`);
});

test("an image is only mentioned, and no message without words", () => {
  const content = [say("Look."), picture];
  const { text } = keep([{ type: "user", content }, user(" "), says("Nice.")]);
  expect(text).toEndWith("[#e2] Look.\n[with 1 image]");
});

test("of many messages the newest, and the instructions in the others", () => {
  const long = "word ".repeat(300);
  const facts = [user(`Never push. ${long}`), user(`Use tabs here. ${long}`), user("And now?")];
  const { text, putBack, losses } = keep(facts, 3, { userChars: 300 });
  expect(text)
    .toEndWith(`# Rules that still apply: follow each of them exactly; a later one overrides an earlier one
- [#e2] Never push.
- [#e3] Use tabs here.`);
  expect(putBack).toEqual(["Never push.", "Use tabs here."]);
  expect(losses).toEqual([]);
  const tight = keep(facts, 3, { userChars: 40 });
  expect(tight.text).toContain("# The user's newest 1 of 3 messages, verbatim\n[#e4] And now?");
  expect(tight.putBack).toEqual(["Never push."]);
  expect(tight.losses).toEqual([{ kind: "instruction", text: "Use tabs here.", entry: "e3" }]);
  const after = [...facts, user("As I said: use tabs here!")];
  expect(keep(after, 3, { userChars: 300 }).putBack).toEqual(["Never push."]);
  const said = keep(after, 3, { userChars: 300, summary: "You must never push." });
  expect(said.putBack).toEqual([]);
});

type Said = [kind: Parameters<typeof told>[0] | "user", title: string];

test.each<[Said, Said, boolean]>([
  [["mode", "m"], ["mode", "n"], false],
  [["environment", "e"], ["environment", "f"], false],
  [["instructions", "A.md"], ["instructions", "A.md"], false],
  [["instructions", "A.md"], ["instructions", "B.md"], true],
  [["mode", "m"], ["environment", "m"], true],
  [["mode", "m"], ["user", "m"], true],
])("what was told as %p is kept after %p: %p", (before, after, isKept) => {
  const fact = ([kind, title]: Said, text: string): Fact =>
    kind === "user" ? user(text) : told(kind, title, text);
  const { text } = keep([user("a"), fact(before, "BEFORE"), fact(after, "x")], 2);
  expect(text.includes("BEFORE")).toBe(isKept);
});

describe("of an earlier summary, decisions that the new one lost are carried over", () => {
  /** Three turns, of which summaries cover the first two; the lines that are carried into another of `span`. */
  function carried(
    first: string,
    {
      second,
      span = { from: "e2", to: "e7" },
      next = "Done.",
    }: { second?: string; span?: Span; next?: string } = {},
  ) {
    const one = new Builder();
    for (const n of [1, 2, 3]) one.turn(`Question ${n}`, "Yes.");
    one.cover("e2", "e3", first);
    if (second !== undefined) one.cover("e4", "e5", second);
    const about = { view: one.view, span, summary: next, files: [], rules: modelRules };
    const { text } = composeSummary(about);
    return /# Earlier decisions\n((?:- .*\n)+)/.exec(text)?.[1]?.trim().split("\n") ?? [];
  }
  const plain = "## Decisions\n- our lexer stays untouched\n* memory only\n- do it";

  test("word for word, unless the new one has most of the longer words", () => {
    expect(carried(plain)).toEqual(["- our lexer stays untouched", "- memory only"]);
    expect(carried(plain, { next: "Lexer: untouched." })).toEqual(["- memory only"]);
    expect(carried(plain, { next: "Lexer." })).toHaveLength(2);
  });

  test("as far as there is room", () => {
    const lines = (...sizes: number[]) =>
      carried(
        `## Decisions\n${sizes.map((size, n) => `${n}${"d".repeat(size - 1)}`).join("\n")}`,
      ).map((line) => line.length - 2);
    expect(lines(3_000, 1_001, 995, 5, 6)).toEqual([500, 500, 5]);
  });

  test("of the newest summary in the span, without what is beside it", () => {
    const tagged = "opening\n<summary>\n2. Decisions: first\n</summary>\n## Decisions\n- beside";
    const second = "2. Decisions: second";
    expect(carried(tagged)).toEqual(["- first"]);
    expect(carried(tagged, { second })).toEqual(["- second"]);
    expect(carried(tagged, { second, span: { from: "e2", to: "e3" } })).toEqual(["- first"]);
    expect(carried(tagged, { second, span: { from: "e6", to: "e7" } })).toEqual([]);
    expect(carried("<summary>\n\n</summary>")).toEqual([]);
  });

  test.each([
    ["## Decisions\n- a thing", ["- a thing"]],
    ["1. **Key Decisions:**\n  a thing", ["- a thing"]],
    ["**Technical Concepts**\n- a thing", ["- a thing"]],
    ["2. Decisions: a thing", ["- a thing"]],
    ["**Why:** a thing\n\n3. Files\n- other", ["- a thing"]],
    ["### Files and Code Decisions Sections\nparser.ts", ["- parser.ts"]],
    ["8. Next decision: run it", []],
    ["Decisions\nwithout a mark", []],
  ])("however its sections are named: %j", (summary, lines) => {
    expect(carried(summary)).toEqual(lines);
  });
});

test("the server is asked for its summary of what comes before, marked for the cache", () => {
  const one = begin("First.");
  one.step("a", "text");
  one.next("Second.");
  const span = { from: "e2", to: "e5" };
  const ask = (caches: boolean, cacheTtl: "5m" | "1h" = "5m") =>
    buildServerRequest(
      one.view,
      span,
      { ...modelRules, caches },
      { ...defaultPolicy, cacheTtl },
      "Be short.",
    );
  const { messages, compaction, purpose } = ask(true);
  expect({ compaction, purpose }).toEqual({
    compaction: { instructions: "Be short." },
    purpose: "summary",
  });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(messages.at(-1)?.content).toEqual([
    { ...say("Done."), cache_control: { type: "ephemeral" } },
  ]);
  expect(ask(true, "1h").messages.at(-1)?.content).toEqual([
    { ...say("Done."), cache_control: { type: "ephemeral", ttl: "1h" } },
  ]);
  expect(ask(false).messages).toEqual([...one.view.messagesTo(4)]);
});
