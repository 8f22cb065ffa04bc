/** A session as a page: what it contains, that nothing in it runs, and how a browser renders it. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "oxc-parser";
import fc from "../../properties.ts";
import type { SessionData } from "../../../src/commands/session-page/session-data.ts";
import { sessionPage } from "../../../src/commands/session-page/page.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { Builder, call, say } from "../../context/build.ts";

const folder = mkdtempSync(join(tmpdir(), "page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

const pageOf = (path: readonly Entry[]): string => [...sessionPage(path)].join("");

function sessionData(path: readonly Entry[]): SessionData {
  const json = /<script type="application\/json" id="session">(.*?)<\/script>/s.exec(pageOf(path));
  return JSON.parse(json?.[1] ?? "");
}

test("knows what each call saw, and what each cut removed", () => {
  const { path } = session();
  const data = sessionData(path);
  const resultRow = path.findIndex(({ type }) => type === "result");
  expect(data.calls).toHaveLength(3);
  expect(data.cuts).toMatchObject([{ call: 2, tier: "microcompact", took: [resultRow] }]);
  expect(data.states).toEqual([[resultRow, [{ call: 2, shown: "replaced", text: "[cleared]" }]]]);
  const [, before, after] = data.calls.map(({ parts }) => parts[3]);
  expect(after ?? 0).toBeLessThan(before ?? 0);
  expect(data.items.map(({ kind }) => kind)).toEqual([
    "user",
    "call",
    "result",
    "answer",
    "user",
    "cut",
    "answer",
  ]);
});

test("an undone cut is in view again from the next call on", () => {
  const built = session();
  const cut = built.path.find(({ type }) => type === "cut");
  if (cut?.type !== "cut") throw new Error("There is no cut.");
  built.add({ type: "restore", cut: cut.id, price: cut.price });
  built.answer([say("Again.")]);
  const [[, states] = [0, []]] = sessionData(built.path).states;
  expect(states.map(({ call: at, shown }) => [at, shown])).toEqual([
    [2, "replaced"],
    [3, "whole"],
  ]);
});

test("an edit shows what it changes", () => {
  const built = new Builder();
  built.user("go");
  const input = { file_path: "a.ts", old_string: "one\ntwo", new_string: "three" };
  built.answer([{ type: "tool_use", id: "c1", name: "Edit", input }]);
  const { items } = sessionData(built.path);
  expect(items[1]).toMatchObject({
    heading: "Edit a.ts",
    text: "- one\n- two\n+ three",
    isDiff: true,
  });
});

const hostile =
  '</script><script>document.title="hacked"</script><img src=x onerror="document.title=1">&\x1b[31m\0\u202e';

function hostileSession(): Builder {
  const built = new Builder();
  built.user(hostile);
  built.answer([say(hostile), call("c1", "Bash", { command: hostile })]);
  built.result("c1", hostile);
  built.add({ type: "note", kind: "title", text: hostile });
  return built;
}

test("hostile text is data: none of its tags is in the page", () => {
  const html = pageOf(hostileSession().path);
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toMatch(/<img/);
  for (const control of ["\0", "\x1b", "\u202e"]) expect(html).not.toContain(control);
  expect(sessionData(hostileSession().path).items[0]?.text).toContain(
    '</script><script>document.title="hacked"',
  );
});

test("whatever a message says, the page has its two scripts and its data", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      const built = new Builder();
      built.user(`${text}<!--<script>`);
      const html = pageOf(built.path);
      expect(html.match(/<\/?script/gi)).toHaveLength(4);
      expect(html).not.toContain("<!--");
    }),
  );
});

test("only the page's own script may run, and nothing may be requested", async () => {
  const html = pageOf(session().path);
  const script = /<script>(.*?)<\/script>\n<\/body>/s.exec(html)?.[1] ?? "";
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
  expect(html).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'"`,
  );
  expect((await parse("client.js", script)).errors).toEqual([]);
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
  expect(html).not.toMatch(/\b(?:src|href)=|url\(|@import/);
});

const browser =
  Bun.which("chromium") ?? Bun.which("chromium-browser") ?? Bun.which("google-chrome");

/** The page after its script has run. */
async function drawn(html: string, hash = ""): Promise<string> {
  const file = join(folder, `${Bun.hash(html)}.html`);
  writeFileSync(file, html);
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    `--user-data-dir=${folder}/profile`,
  ];
  const child = Bun.spawn([browser ?? "", ...flags, "--dump-dom", `file://${file}${hash}`], {
    stdout: "pipe",
    stderr: "ignore",
  });
  return child.stdout.text();
}

describe.skipIf(browser === null)("in a browser", () => {
  test("a session is drawn with its chart, its cut and its slider", async () => {
    const dom = await drawn(pageOf(session().path));
    expect(dom.match(/<article/g)).toHaveLength(7);
    expect(dom.match(/<polygon/g)).toHaveLength(5);
    expect(dom.match(/class="notch"/g)).toHaveLength(1);
    expect(dom).toContain("Now, after 3 calls");
    expect(dom).toMatch(/<article class="item-result replaced">.*?shortened/s);
  }, 60_000);

  test("a call shows what it saw: what came later is faint, what was cut later is whole", async () => {
    const html = pageOf(session().path);
    const second = await drawn(html, "#call-2");
    expect(second).toContain("What the model saw at call 2 of 3");
    expect(second).toContain('<article class="item-result">');
    expect(second.match(/ later"/g)).toHaveLength(4);
    const third = await drawn(html, "#call-3");
    expect(third).toContain('<article class="item-result replaced">');
    expect(third).toMatch(/<ul id="cuts"><li><button>microcompact/);
  }, 60_000);

  test("an answer's Markdown is drawn, and links only to the web", async () => {
    const built = new Builder();
    built.user("hello");
    built.answer([
      say(
        "# Head\n\nSome **bold** and `code <b>`.\n- one\n- two\n\n```ts\nlet a;\n```\n[site](https://a.example) [no](javascript:alert(1))",
      ),
    ]);
    const dom = await drawn(pageOf(built.path));
    expect(dom).toContain("<h2>Head</h2>");
    expect(dom).toContain("Some <strong>bold</strong> and <code>code &lt;b&gt;</code>.");
    expect(dom.match(/<p class="item"[^>]*><span>•<\/span>/g)).toHaveLength(2);
    expect(dom).toContain("<pre>let a;</pre>");
    expect(dom).toContain(
      '<a href="https://a.example" rel="noreferrer">site</a> (https://a.example)',
    );
    expect(dom).not.toContain('href="javascript');
    expect(dom).toContain("<title>hello</title>");
  }, 60_000);

  test("hostile text does not run, and is shown as it is", async () => {
    const dom = await drawn(pageOf(hostileSession().path));
    expect(dom).not.toMatch(/<title>(?:hacked|1)</);
    expect(dom).not.toContain("<img");
    expect(dom).toContain("&lt;img src=x");
  }, 60_000);
});
