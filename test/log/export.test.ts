import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { openExports } from "../app/services/exports.ts";
import { assistantFact, lineOf, resultFact, sessionFact, userFact } from "./facts.ts";

const { cwd, exportTo, exported } = await openExports("export");

const makePath = (facts: readonly Fact[]): Entry[] =>
  facts.map((fact, at) => {
    const place = { id: `e${at + 1}`, parent: at === 0 ? null : `e${at}`, at: "2026-01-01T00:00Z" };
    const isUnknown = fact.type === "unknown";
    return { ...place, ...(isUnknown ? { ...fact, raw: { ...fact.raw, ...place } } : fact) };
  });

const exportMarkdown = (path: readonly Entry[]): Promise<string> => exported("md", path);

test("output cannot close its fence, and messages cannot add headings", async () => {
  const text = await exportMarkdown(
    makePath([
      userFact("# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n"),
      assistantFact("done", ["x"]),
      resultFact("x", "````\n# not a heading"),
    ]),
  );
  expect(text).toContain(
    "\\# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n\n```",
  );
  expect(text).toContain("`````\n````\n# not a heading\n`````");
  expect(text).toContain("## Result of Bash (20 bytes)");
});

test("a page names the session, its folder, its model and its times", async () => {
  const facts = [sessionFact("s"), userFact("hello"), assistantFact("there")];
  const path = makePath(facts).map((entry, at) => ({
    ...entry,
    at: `2026-01-0${at + 1}`,
  }));
  expect(await exportMarkdown(path)).toStartWith(
    "# Session s\n\n- Folder: /work/there\n- Model: model-a\n- Started: 2026-01-01\n- Ended: 2026-01-03\n\n",
  );
  expect(await exportMarkdown(makePath([userFact("hi")]))).toStartWith(
    "# Session\n\n- Folder: unknown\n",
  );
  const named = makePath([
    sessionFact(),
    { type: "note", kind: "title", text: "old" },
    { type: "note", kind: "title", text: "The *new* title" },
    { type: "note", kind: "info", text: "no title" },
  ]);
  expect(await exportMarkdown(named)).toStartWith("# The \\*new\\* title\n");
  expect(await exportMarkdown(named)).not.toContain("title\n\nold");
});

test("every kind of entry has its section, in order", async () => {
  const price = { usedBefore: 9, usedAfter: 1, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  const empty = { content: [], bytes: 0, lines: 0, ms: 1 };
  const step: Fact = {
    type: "step",
    toolUse: "s",
    outer: "t",
    tool: "Bash",
    input: { command: "ls" },
    ...empty,
  };
  const path = makePath([
    sessionFact(),
    {
      type: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "" } },
      ],
    },
    {
      type: "context",
      kind: "mode",
      title: "plan mode",
      content: [{ type: "text", text: "Plan." }],
    },
    {
      type: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "s" },
        { type: "thinking", thinking: " ", signature: "s" },
        { type: "text", text: "I run it." },
        { type: "text", text: "\n" },
        { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
      ],
      model: "model-b",
      usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
      stop: "tool_use",
      sentAt: "",
    },
    {
      type: "result",
      toolUse: "t",
      tool: "Bash",
      content: [{ type: "text", text: "no such file" }],
      bytes: 12,
      lines: 1,
      isError: true,
      file: "/results/1.txt",
    },
    {
      type: "cut",
      tier: "summary",
      trigger: "key",
      reason: "the key",
      changes: [
        { kind: "replace", entry: "e5", text: "placeholder" },
        { kind: "cover", span: { from: "e2", to: "e4" }, text: "The summary.", kept: "look" },
        { kind: "cover", span: { from: "e2", to: "e4" }, text: "" },
      ],
      price,
    },
    { type: "restore", cut: "e6", price },
    { type: "restore", cut: "e6", redo: true, price },
    { type: "model", model: "model-c" },
    { type: "note", kind: "warning", text: "careful" },
    { type: "unknown", raw: { type: "hologram" } },
    step,
    { type: "pin", entry: "e2", on: true },
  ]);
  const text = await exportMarkdown(path);
  expect(text.slice(text.indexOf("## "))).toBe(`## You

look
[image/png]

## Context: plan mode

\`\`\`
Plan.
\`\`\`

## Thinking

\`\`\`
Hm.
\`\`\`

## model-b

I run it.

## Call Bash

\`\`\`
{
  "command": "ls"
}
\`\`\`

## Error of Bash (12 bytes)

\`\`\`
no such file
[Full output: /results/1.txt]
\`\`\`

## Compaction: summary

\`\`\`
the key

The summary.

look
\`\`\`

## Compaction e6 undone

## Compaction e6 redone

## Model: model-c

## Note: warning

\`\`\`
careful
\`\`\`

## An entry from a later version

## Step: Result of Bash ls (0 bytes)
`);
});

const guardedLines: [said: string, exported: string][] = [
  ["title\n===", "title\n\\==="],
  ["title\n---", "title\n\\---"],
  ["   ## x", "   \\## x"],
  ["    # code", "    # code"],
  ["#hashtag", "#hashtag"],
  ["~~~\n# a\n```\n~~~~\n# b", "~~~\n# a\n```\n~~~~\n\\# b"],
  ["```a`b\n# c", "```a`b\n\\# c"],
  ["```\n# a\n``` \n# b", "```\n# a\n``` \n\\# b"],
  ["```\n# a\n``` x\n# b", "```\n# a\n``` x\n# b\n```"],
];

test.each(guardedLines)("%j in a message is exported as %j", async (said, exported) => {
  const text = await exportMarkdown(makePath([userFact(said)]));
  expect(text.slice(text.indexOf("## You"))).toBe(`## You\n\n${exported}\n`);
});

test("inline text is on one line and escaped", async () => {
  const text = await exportMarkdown(
    makePath([{ type: "context", kind: "mode", title: " a\n <b> [c] ", content: [] }]),
  );
  expect(text).toContain("## Context: a \\<b\\> \\[c\\]\n");
});

test("the format follows from the name, and the file holds the whole path", async () => {
  const path = makePath([sessionFact(), userFact("hello"), assistantFact("there")]);
  const read = async (name: string): Promise<string> => {
    expect(await exportTo(name, path)).toBe(join(cwd, name));
    expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600);
    return Bun.file(join(cwd, name)).text();
  };
  expect(await read("a.md")).toBe(await exportMarkdown(path));
  expect(await read("a.jsonl")).toBe(path.map(lineOf).join(""));
  expect(await read("b.HTML")).toStartWith("<!doctype html>");
  const refusal = (name: string, entries = path) => expect(exportTo(name, entries)).rejects;
  await refusal("a.md").toThrow(`${join(cwd, "a.md")} exists already.`);
  await refusal("a.txt").toThrow("a.txt must end in .md, .html or .jsonl.");
  await refusal("c.md", []).toThrow("There is nothing to export yet.");
  await refusal("none/a.md").toThrow(`There is no folder ${join(cwd, "none")}.`);
  await refusal(`${"x".repeat(300)}.md`).toThrow("cannot be written");
});
