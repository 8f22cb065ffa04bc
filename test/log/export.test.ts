import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  exportJsonl,
  exportMarkdown,
  exportSession,
  writePieces,
} from "../../src/log/export/export-session.ts";
import type { Block } from "../../src/protocol/block.ts";
import { errorMessage } from "../../src/base/format.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { anyFact, assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("export");

const makePath = (facts: readonly Fact[]): Entry[] =>
  facts.map((fact, at) => ({
    id: `e${at + 1}`,
    parent: at === 0 ? null : `e${at}`,
    at: "2026-01-01T00:00:00.000Z",
    ...fact,
  }));

const exportText = (path: readonly Entry[]): string => [...exportMarkdown(path)].join("");

type Message = { role: string; content: Block[] };

const exportedMessages = (path: readonly Entry[]): Message[] =>
  [...exportJsonl(path)]
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("exported messages alternate, and every call has exactly one result", () => {
  const ids = fc.constantFrom("a", "b", "c");
  const fact = fc.oneof(
    anyFact,
    fc.constant(userFact("u")),
    fc.uniqueArray(ids).map((calls) => assistantFact("a", calls)),
    ids.map((id) => resultFact(id, "r")),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 12 }), (facts) => {
      // Includes results without a call and calls without a result.
      const known = facts.filter((one) => one.type !== "assistant" || one.model === "model-b");
      const messages = exportedMessages(makePath(known));
      let open: string[] = [];
      for (const [at, { role, content }] of messages.entries()) {
        expect(content.length).toBeGreaterThan(0);
        if (at > 0) expect(role).not.toBe(messages[at - 1]?.role);
        const answers = content.flatMap((block) =>
          block.type === "tool_result" ? [block.tool_use_id] : [],
        );
        expect(answers.sort()).toEqual(role === "user" ? open.sort() : []);
        open = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      }
      expect(open).toEqual([]);
    }),
  );
});

test("output cannot close its fence, and messages cannot add headings", () => {
  const text = exportText(
    makePath([
      userFact("# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n"),
      assistantFact("done", ["x"]),
      resultFact("x", "````\n# not a heading"),
    ]),
  );
  expect(text).toContain(
    "\\# I am a heading\n&lt;script>x&lt;/script> and `a<b>` and\n```ts\n# a comment <T>\n\n```",
  );
  expect(text).toContain("`````\n````\n# not a heading\n`````");
  expect(text).toContain("## Result of Bash (20 bytes)");
});

test("a page names the session, its folder, its model and its times", () => {
  const facts = [sessionFact("s"), userFact("hello"), assistantFact("there")];
  const path = makePath(facts).map((entry, at) => ({
    ...entry,
    at: `2026-01-0${at + 1}`,
  }));
  expect(exportText(path)).toStartWith(
    "# Session s\n\n- Folder: /work/there\n- Model: model-a\n- Started: 2026-01-01\n- Ended: 2026-01-03\n\n",
  );
  expect(exportText([])).toStartWith("# Session\n\n- Folder: unknown\n");
  const named = makePath([
    sessionFact(),
    { type: "note", kind: "title", text: "old" },
    { type: "note", kind: "title", text: "The *new* title" },
    { type: "note", kind: "info", text: "no title" },
  ]);
  expect(exportText(named)).toStartWith("# The \\*new\\* title\n");
  expect(exportText(named)).not.toContain("title\n\nold");
});

test("every kind of entry has its section, in order", () => {
  const price = { usedBefore: 9, usedAfter: 1, cachedBroken: 0, usd: 0, breakEvenCalls: null };
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
    { type: "pin", entry: "e2", on: true },
  ]);
  const text = exportText(path);
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
`);
});

test("calls without a result get an error result, results without a call are left out", () => {
  const messages = exportedMessages(
    makePath([
      userFact("go"),
      assistantFact("a", ["x", "y"]),
      resultFact("y", "done"),
      { ...failedResult, toolUse: "x" },
      resultFact("x", "again"),
      assistantFact("b", ["z"]),
      userFact("stop"),
    ]),
  );
  expect(messages.slice(2)).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "y", content: [{ type: "text", text: "done" }] },
        { type: "tool_result", tool_use_id: "x", content: [], is_error: true },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "b" },
        { type: "tool_use", id: "z", name: "Bash", input: { command: "z" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "z",
          content: [{ type: "text", text: "[The log has no result.]" }],
          is_error: true,
        },
        { type: "text", text: "stop" },
      ],
    },
  ]);
  expect(exportedMessages(makePath([assistantFact("a", ["x"])]))).toHaveLength(2);
});

const failedResult = {
  type: "result" as const,
  tool: "Bash",
  content: [],
  bytes: 0,
  lines: 0,
  isError: true as const,
};

const guardedLines: [said: string, exported: string][] = [
  ["a `<b>` c `<d>` <e>", "a `<b>` c `<d>` &lt;e>"],
  ["`` <a> ` <b> `` <c>", "`` <a> ` <b> `` &lt;c>"],
  ["title\n===", "title\n\\==="],
  ["title\n---", "title\n\\---"],
  ["   ## x", "   \\## x"],
  ["    # code", "    # code"],
  ["#hashtag", "#hashtag"],
  ["1 < 2", "1 < 2"],
  ["~~~\n<a>\n```\n~~~~\n<b>", "~~~\n<a>\n```\n~~~~\n&lt;b>"],
  ["```a`b\n<c>", "```a`b\n&lt;c>"],
  ["```\n<a>\n``` \n<b>", "```\n<a>\n``` \n&lt;b>"],
  ["```\n<a>\n``` x\n<b>", "```\n<a>\n``` x\n<b>\n```"],
];

test.each(guardedLines)("%j in a message is exported as %j", (said, exported) => {
  const text = exportText(makePath([userFact(said)]));
  expect(text.slice(text.indexOf("## You"))).toBe(`## You\n\n${exported}\n`);
});

test("inline text is on one line and escaped", () => {
  const text = exportText(
    makePath([{ type: "context", kind: "mode", title: " a\n <b> [c] ", content: [] }]),
  );
  expect(text).toContain("## Context: a \\<b\\> \\[c\\]\n");
});

test("a long session is written in pieces, with others at work in between", async () => {
  let turns = 0;
  const pieces = function* () {
    for (let n = 0; n < 100; n++) {
      const until = performance.now() + 2;
      while (performance.now() < until);
      yield `${n} `;
    }
  };
  const seen: number[] = [];
  let text = "";
  const clock = setInterval(() => turns++, 1);
  let isWriting = false;
  const write = async (piece: string): Promise<void> => {
    expect(isWriting).toBe(false);
    isWriting = true;
    await new Promise(setImmediate);
    isWriting = false;
    text += piece;
  };
  await writePieces(pieces(), 100, write, (done, of) => seen.push(done / of));
  clearInterval(clock);
  expect(text.split(" ")).toHaveLength(101);
  expect(turns).toBeGreaterThan(5);
  expect(seen.length).toBeGreaterThan(5);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen[0]).toBeLessThan(1);
  expect(seen.at(-1)).toBeLessThanOrEqual(1);
});

test("the format follows from the name, and the file holds the whole path", async () => {
  const cwd = mkdtempSync(join(root, "export-"));
  const path = makePath([sessionFact(), userFact("hello"), assistantFact("there")]);
  const html = (entries: readonly Entry[]) => [`<p>${entries.length}`];
  const listeners = process.listenerCount("exit");
  const export_ = async (name: string): Promise<string> => {
    const file = await exportSession({ path, name, cwd, html, progress: () => {} });
    expect(file).toBe(join(cwd, name));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return Bun.file(file).text();
  };
  expect(await export_("a.md")).toBe(exportText(path));
  expect(await export_("a.Markdown")).toBe(exportText(path));
  expect(await export_("a.jsonl")).toBe([...exportJsonl(path)].join(""));
  for (const name of ["a.html", "a.htm", "b.HTML"]) expect(await export_(name)).toBe("<p>3");
  expect(process.listenerCount("exit")).toBe(listeners);
  const options = { path, cwd, html, progress: () => {} };
  await expect(exportSession({ ...options, name: "a.txt" })).rejects.toThrow(
    "a.txt must end in .md, .html or .jsonl.",
  );
  await expect(exportSession({ ...options, name: "c.md", path: [] })).rejects.toThrow(
    "There is nothing to export yet.",
  );
  await expect(exportSession({ ...options, name: "none/a.md" })).rejects.toThrow(
    `There is no folder ${join(cwd, "none")}.`,
  );
});

/** Exports a page, made by `html`, into a new folder. */
async function exportPage(html: (folder: string) => Generator<string>) {
  const cwd = mkdtempSync(join(root, "export-"));
  const path = makePath([userFact("hello")]);
  const options = { path, name: "a.html", cwd, html: () => html(cwd), progress: () => {} };
  const said = await exportSession(options).catch(errorMessage);
  const files = readdirSync(cwd);
  const text = files.includes("a.html") ? await Bun.file(join(cwd, "a.html")).text() : null;
  return { said, files, text };
}

test("what cannot be written leaves no file", async () => {
  const { said, files } = await exportPage(function* () {
    yield "a";
    throw new Error("no space left");
  });
  expect(said).toEndWith("a.html cannot be written: no space left.");
  expect(files).toEqual([]);
});

test("a file has its name only once it is whole", async () => {
  let before: string[] = [];
  const { files, text } = await exportPage(function* (folder) {
    yield "a";
    before = readdirSync(folder);
    yield "b";
  });
  expect(before).toHaveLength(1);
  expect(before).not.toContain("a.html");
  expect(files).toEqual(["a.html"]);
  expect(text).toBe("ab");
});

test("a file that appears meanwhile is left alone", async () => {
  const { said, files, text } = await exportPage(function* (folder) {
    yield "a";
    writeFileSync(join(folder, "a.html"), "another's");
  });
  expect(said).toEndWith("a.html exists already.");
  expect(files).toEqual(["a.html"]);
  expect(text).toBe("another's");
});

test("quitting during an export leaves no partial file", async () => {
  const folder = mkdtempSync(join(root, "export-"));
  const source = join(import.meta.dir, "../../src/log/export/export-session.ts");
  const options = { path: makePath([userFact("hello")]), name: "a.html", cwd: folder };
  const script = `
    const { exportSession } = await import(${JSON.stringify(source)});
    const html = function* () { yield "half"; process.exit(7); };
    await exportSession({ ...${JSON.stringify(options)}, html, progress() {} });`;
  const quitting = Bun.spawn([process.execPath, "-e", script]);
  expect(await quitting.exited).toBe(7);
  expect(readdirSync(folder)).toEqual([]);
});
