import { expect, test } from "bun:test";
import fc from "fast-check";
import { exportHtml } from "../../src/log/export/html.ts";
import { exportMarkdown } from "../../src/log/export/markdown.ts";
import { exportJsonl, messagesOf } from "../../src/log/export/messages.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { anyFact, assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";

const pathOf = (facts: readonly Fact[]): Entry[] =>
  facts.map((fact, at) => ({
    id: `e${at + 1}`,
    parent: at === 0 ? null : `e${at}`,
    at: "2026-01-01T00:00:00.000Z",
    ...fact,
  }));

test("a path is exported as API messages, including what was compacted", () => {
  const path = pathOf([
    sessionFact(),
    userFact("list"),
    assistantFact("I list.", ["a", "b"]),
    resultFact("a", "one"),
    { type: "count", tokens: 3 },
    resultFact("b", "two"),
    assistantFact("Two files."),
  ]);
  expect(messagesOf(path)).toEqual([
    { role: "user", content: [{ type: "text", text: "list" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I list." },
        { type: "tool_use", id: "a", name: "bash", input: { command: "a" } },
        { type: "tool_use", id: "b", name: "bash", input: { command: "b" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "one" }] },
        { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "two" }] },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Two files." }] },
  ]);
  expect(exportJsonl(path).split("\n")).toHaveLength(5);
});

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
      const messages = messagesOf(pathOf(known));
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

const hostile = '</pre><script>alert(1)</script><img src=x onerror="alert(1)">&\x1b[31m\0';

test("hostile text stays text in HTML", () => {
  const page = exportHtml(
    pathOf([
      sessionFact(hostile),
      { type: "note", kind: "title", text: hostile },
      userFact(hostile),
      {
        type: "context",
        kind: "instructions",
        title: hostile,
        content: [{ type: "text", text: hostile }],
      },
      assistantFact(hostile, [hostile]),
      resultFact(hostile, hostile),
    ]),
  );
  expect(page).not.toMatch(/<(script|img)/);
  for (const control of ["\0", "\x1b"]) expect(page).not.toContain(control);
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).toContain("default-src 'none'");
});

test("no fact escapes into the page", () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 6 }), (facts) => {
      const page = exportHtml(pathOf(facts));
      const tags = page.match(/<[^>]*>/g) ?? [];
      const own =
        /^<(!doctype html|\/?(html|head|body|title|style|h1|h2|dl|dt|dd|pre|section|details|summary)( lang="en"| class="[a-z]+")?|meta [^>]*)>$/;
      expect(tags.filter((tag) => !own.test(tag))).toEqual([]);
    }),
  );
});

test("output cannot close its fence, and messages cannot add headings", () => {
  const text = exportMarkdown(
    pathOf([
      userFact("# I am a heading\n<script>x</script> and `a<b>` and\n```ts\n# a comment <T>\n"),
      assistantFact("done", ["x"]),
      resultFact("x", "````\n# not a heading"),
    ]),
  );
  expect(text).toContain(
    "\\# I am a heading\n&lt;script>x&lt;/script> and `a<b>` and\n```ts\n# a comment <T>\n\n```",
  );
  expect(text).toContain("`````\n````\n# not a heading\n`````");
  expect(text).toContain("## Result of bash (20 bytes)");
});
