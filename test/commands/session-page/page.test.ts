/** A session as a page: its content, and that none of its text becomes a tag. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { openExports } from "../../app/services/exports.ts";
import { begin, Builder, call, picture, say, think } from "../../context/build.ts";
import { stepFact } from "../../log/facts.ts";

/** Two calls, a cut of the first result, and a third call. */
function session(): Builder {
  const built = new Builder();
  built.user("Where is the till?");
  built.answer([call("c1", "Read")]);
  const result = built.result("c1", "the till\n".repeat(500));
  built.answer([say("In till.ts.")]);
  built.user("And the bell?");
  built.cut([{ kind: "replace", entry: result.id, text: "[cleared]" }], "microcompact");
  built.answer([say("In bell.ts.")]);
  return built;
}

const { exported } = await openExports("page");

const renderPage = ({ path }: Pick<Builder, "path">): Promise<string> => exported("html", path);

const listKinds = (html: string): string[] =>
  [...html.matchAll(/<article[^>]* class="([^"]+)"/g)].map(([, kind = ""]) => kind);

test("shows every entry, the context over time, and where it was cut", async () => {
  const built = session();
  const html = await renderPage(built);
  const row = (type: string): number => built.path.findIndex((entry) => entry.type === type);
  expect(listKinds(html)).toEqual([
    "user",
    "call",
    "result gone",
    "answer",
    "user",
    "cut",
    "answer",
  ]);
  const areas = [...html.matchAll(/<polygon[^>]* points="([^"]*)"/g)].map(([, points = ""]) =>
    points.split(" ").map((point) => point.split(",").map(Number)),
  );
  expect(areas).toHaveLength(5);
  for (const [at, area] of areas.entries()) {
    expect(area.map(([x]) => x)).toEqual([0, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1, 0]);
    // Each lies on the one below it.
    const below = areas[at - 1]?.slice(0, 6) ?? area.slice(0, 6).map(([x = 0]) => [x, 100]);
    expect(area.slice(6).reverse()).toEqual(below);
  }
  expect(Math.min(...areas.flat().map(([, y = 0]) => y))).toBe(5);
  expect(html.match(/Took out of view/g)).toHaveLength(1);
  expect(html).toContain(`<a href="#r${row("cut")}"><line class="notch" x1="2"`);
  expect(html).toContain(`href="#r${row("cut")}" title="[cleared]">cleared</a>`);
  expect(html).toContain(
    `Took out of view: <a href="#r${row("result")}">Result of Read, 500 lines`,
  );
  expect(html).toContain("1 old result cleared · ");
  expect(html).toContain("<title>Where is the till?</title>");
});

test("a cut that was undone hides nothing, until it is redone", async () => {
  const built = session();
  const cut = built.path.find(({ type }) => type === "cut");
  if (cut?.type !== "cut") throw new Error("There is no cut.");
  built.add({ type: "restore", cut: cut.id, price: cut.price });
  const html = await renderPage(built);
  expect(listKinds(html)).toContain("result");
  expect(html).toContain("A compaction was undone");
  built.add({ type: "restore", cut: cut.id, redo: true, price: cut.price });
  expect(await renderPage(built)).toContain("A compaction was redone");
});

test("a summary hides what it covers, except messages that it keeps, and says what it freed", async () => {
  const sizes = [
    [999, 1_000, "999 → ~1.0k tokens"],
    [9_949, 9_950, "9.9k → ~10k tokens"],
    [1_500_000, 999_999, "1.50M → ~1000k tokens"],
  ] as const;
  for (const [usedBefore, usedAfter, said] of sizes) {
    const built = session();
    const [first, last] = [built.path[1]?.id ?? "", built.path[4]?.id ?? ""];
    const span = { from: first, to: last };
    const price = { usedBefore, usedAfter, cachedBroken: 0, usd: 0.5, breakEvenCalls: null };
    built.cut([{ kind: "cover", span, text: "Asked: Where is the till?" }], "summary", price);
    const html = await renderPage(built);
    expect(html).toContain(`${said}, $0.50 · `);
    expect(listKinds(html).slice(0, 4)).toEqual([
      "user",
      "call gone",
      "result gone",
      "answer gone",
    ]);
  }
});

test("inner calls, errors, files, images and notes are shown, and a price that is an estimate", async () => {
  const built = new Builder({ model: "gpt-5.5" });
  built.add({ type: "user", content: [say("look"), picture] });
  built.answer([think("hm"), think(" "), say(" "), call("c1", "Script", {})]);
  built.add(stepFact("Bash", { command: "ls\nsecond" }));
  built.result("c1", "no", { isError: true, file: "/results/1.txt" });
  built.add({ type: "note", kind: "warning", text: "careful" });
  const html = await renderPage(built);
  const kinds = ["user", "thinking", "call", "call", "result", "result error", "info"];
  expect(listKinds(html)).toEqual(kinds);
  for (const words of [
    "look\n[image/png]",
    "<summary>Bash ls</summary>",
    "<summary>Error of Read, 1 line</summary><pre>no\n[Full output: /results/1.txt]</pre>",
    "<summary>warning</summary><pre>careful</pre>",
    "<dd>1, 0 compactions, ~$0.",
  ])
    expect(html).toContain(words);
});

test("an edit shows what it changes", async () => {
  const built = new Builder();
  const empty = await renderPage(built);
  expect(empty).toContain("<title>A session</title>");
  expect(empty).not.toContain("<svg");
  built.user("go");
  const input = { file_path: "a.ts", old_string: "one\ntwo", new_string: "three" };
  built.answer([{ type: "tool_use", id: "c1", name: "Edit", input }]);
  const html = await renderPage(built);
  expect(html).toContain("<polygon");
  expect(html).toContain(
    '<summary>Edit a.ts</summary><pre><span class="removed">- one\n- two</span>\n<span class="added">+ three</span></pre>',
  );
});

test("an answer is Markdown, and links only to the web", async () => {
  const built = begin("hello".repeat(20));
  built.answer([
    say("# long\n".repeat(30_000)),
    say(
      "###### Deep\n\n# Head\n\nSome **bold** and `code <b>`.\n- one\n- two\n\n1. first\n\n```ts\nlet a;\n```\n[site](https://a.example) [no](javascript:alert(1))",
    ),
  ]);
  const html = await renderPage(built);
  expect(html).toContain(`<title>${"hello".repeat(16)}</title>`);
  expect(html).toContain("<pre># long\n# long");
  expect(html).toContain("<h6>Deep</h6><h2>Head</h2>");
  expect(html).toContain("Some <strong>bold</strong> and <code>code &lt;b&gt;</code>.");
  expect(html).toContain(
    "<ul><li>one</li><li>two</li></ul><ol><li>first</li></ol><pre>let a;\n</pre>",
  );
  expect(html).toContain('<a href="https://a.example" rel="noreferrer">site</a>');
  expect(html).not.toContain("javascript");
});

const hostile =
  '</title></style><script>alert(1)</script><img src=x onerror="alert(1)">&\x1b[31m\0\u202e';

/** The text wherever a page shows any. */
function everywhere(text: string): Builder {
  const built = new Builder();
  built.user(text);
  built.add({ type: "context", kind: "reminder", title: text, content: [say(text)] });
  const input = { file_path: text, old_string: text, new_string: text };
  built.answer([
    { type: "thinking", thinking: text, signature: "" },
    say(text),
    say(`[${text}](https://a.example/${text}) ![${text}](https://a.example)`),
    call("c1", "Bash", { command: text }),
    { type: "tool_use", id: "c2", name: text, input },
  ]);
  const result = built.result("c1", text);
  built.result("c2", text);
  built.cut([{ kind: "replace", entry: result.id, text }], "microcompact");
  built.add({ type: "note", kind: "title", text });
  built.add({ type: "model", model: text });
  return built;
}

const listTags = (html: string): string[] =>
  [...html.replace(/<style>.*?<\/style>/s, "").matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(
    ([, name = ""]) => name.toLowerCase(),
  );

/** The tags of pages without hostile text. */
const known = new Set(
  "!doctype html head meta title style body h1 h2 h3 h4 h5 h6 dl dt dd svg polygon a line div span i main article details summary p pre blockquote ol ul li hr table tr th td strong em code s".split(
    " ",
  ),
);

test("hostile text is shown as it is: none of its tags is in the page", async () => {
  const html = await renderPage(everywhere(hostile));
  expect(listTags(html).filter((tag) => !known.has(tag))).toEqual([]);
  for (const control of ["\0", "\x1b", "\u202e"]) expect(html).not.toContain(control);
  expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
});

test("whatever a session says, the page runs nothing and requests nothing", async () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("<script>", '"', "\n\n", "```", "[a](", ")", "![", "<a href=", "`"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const html = await renderPage(everywhere(pieces.join("")));
      expect(listTags(html).filter((tag) => !known.has(tag))).toEqual([]);
      expect(html).not.toMatch(/<[^>]*\s(?:on\w+|src|style)\s*=/i);
      for (const [, address = ""] of html.matchAll(/<a [^>]*?href="([^"]*)"/g))
        expect(address).toMatch(/^(?:#r\d+$|https?:)/);
      expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    }),
  );
});

test("the page says from when to when, and the cost of calls that have a price", async () => {
  const offline = session().path.map((entry, index) => {
    const at = `2026-01-01T10:${10 + index}:00.000Z`;
    const isNamed = entry.type === "assistant" || entry.type === "session";
    return isNamed ? { ...entry, at, model: "offline" } : { ...entry, at };
  });
  const free = await renderPage({ path: offline });
  expect(free).not.toContain("$");
  expect(free).toContain("<dt>Started</dt><dd>2026-01-01 10:10 UTC</dd>");
  expect(free).toContain(`<dt>Ended</dt><dd>2026-01-01 10:${9 + offline.length} UTC</dd>`);
  const priced = offline.map((entry) =>
    entry.type === "assistant" ? { ...entry, model: "claude-sonnet-5-5" } : entry,
  );
  expect(await renderPage({ path: priced })).toMatch(
    /<dt>Calls<\/dt><dd>3, 1 compaction, \$\d\.\d\d</,
  );
});
