import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openExports } from "../app/services/exports.ts";
import { begin, Builder, call, noPrice, picture, say, think } from "../context/build.ts";
import { lineOf, stepFact } from "./facts.ts";

const { cwd, exportTo, exported } = await openExports("export");

const exportMarkdown = ({ path }: Pick<Builder, "path">): Promise<string> => exported("md", path);

test("output cannot close its fence, and messages cannot add headings", async () => {
  const built = begin(
    "# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n",
  );
  built.step("x", "````\n# not a heading", { tool: "Bash" });
  const text = await exportMarkdown(built);
  expect(text).toContain(
    "\\# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n\n```",
  );
  expect(text).toContain("`````\n````\n# not a heading\n`````");
});

test("a page names the session, its folder, its model and its times", async () => {
  const built = begin("hello");
  built.answer([say("there")]);
  const path = built.path.map((entry, at) => ({ ...entry, at: `2026-01-0${at + 1}` }));
  expect(await exportMarkdown({ path })).toStartWith(
    "# Session s\n\n- Folder: /w\n- Model: m1\n- Started: 2026-01-01\n- Ended: 2026-01-03\n\n",
  );
  expect(await exportMarkdown({ path: path.slice(1) })).toStartWith(
    "# Session\n\n- Folder: unknown\n",
  );
  for (const text of ["earlier", " The *new*\n <b> [title] "])
    built.add({ type: "note", kind: "title", text });
  built.add({ type: "note", kind: "info", text: "no title" });
  const named = await exportMarkdown(built);
  expect(named).toStartWith("# The \\*new\\* \\<b\\> \\[title\\]\n");
  expect(named).not.toContain("earlier");
});

test("every kind of entry has its section, in order", async () => {
  const built = new Builder();
  const look = built.add({ type: "user", content: [say("look"), picture] });
  built.add({ type: "context", kind: "mode", title: "plan mode", content: [say("Plan.")] });
  const input = { command: "ls" };
  const blocks = [think("Hm."), think(" "), say("I run it."), say("\n"), call("t", "Bash", input)];
  const answer = built.answer(blocks);
  const more = { tool: "Bash", isError: true as const, file: "/results/1.txt" };
  const result = built.result("t", "no such file", more);
  const span = { from: look.id, to: answer.id };
  const cut = built.cut(
    [
      { kind: "replace", entry: result.id, text: "placeholder" },
      { kind: "cover", span, text: "The summary.", kept: "look" },
      { kind: "cover", span, text: "" },
    ],
    "summary",
  );
  built.restore(cut.id);
  built.add({ type: "restore", cut: cut.id, redo: true, price: noPrice });
  built.add({ type: "model", model: "model-c" });
  built.add({ type: "note", kind: "warning", text: "careful" });
  const { id, parent, at } = { id: "e11", parent: "e10", at: cut.at };
  built.add({ type: "unknown", raw: { id, parent, at, type: "hologram" } });
  built.add(stepFact("Bash", input));
  built.add({ type: "pin", entry: look.id, on: true });
  const text = await exportMarkdown(built);
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

## m1

I run it.

## Call Bash

\`\`\`
{
  "command": "ls"
}
\`\`\`

## Error of Bash (18 bytes)

\`\`\`
no such file
[Full output: /results/1.txt]
\`\`\`

## Compaction: summary

\`\`\`
a test

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
  ["~~~a`b\n# c", "~~~a`b\n# c\n~~~"],
  ["```a`b\n# c", "```a`b\n\\# c"],
  ["```\n# a\n``` \n# b", "```\n# a\n``` \n\\# b"],
  ["```\n# a\n``` x\n# b", "```\n# a\n``` x\n# b\n```"],
];

test.each(guardedLines)("%j in a message is exported as %j", async (said, exported) => {
  const text = await exportMarkdown(begin(said));
  expect(text.slice(text.indexOf("## You"))).toBe(`## You\n\n${exported}\n`);
});

test("the format follows from the name, and the file holds the whole path", async () => {
  const { path } = begin("hello");
  const read = async (name: string): Promise<string> => {
    expect(await exportTo(name, path)).toBe(join(cwd, name));
    expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600);
    return Bun.file(join(cwd, name)).text();
  };
  expect(await read("a.md")).toBe(await exportMarkdown({ path }));
  expect(await read("a.jsonl")).toBe(path.map(lineOf).join(""));
  expect(await read("b.HTML")).toStartWith("<!doctype html>");
  const refusal = (name: string, entries = path) => expect(exportTo(name, entries)).rejects;
  await refusal("a.md").toThrow(`${join(cwd, "a.md")} exists already.`);
  await refusal("a.txt").toThrow("a.txt must end in .md, .html or .jsonl.");
  await refusal("c.md", []).toThrow("There is nothing to export yet.");
  await refusal("none/a.md").toThrow(`There is no folder ${join(cwd, "none")}.`);
  await refusal(`${"x".repeat(300)}.md`).toThrow("cannot be written");
});
