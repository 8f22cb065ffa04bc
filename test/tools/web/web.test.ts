/** Reading the web: addresses, what is fetched, and how a page is converted. */

import { afterAll, expect, spyOn, test } from "bun:test";
import type { ToolboxOptions } from "../../../src/tools/toolbox.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

type Network = NonNullable<ToolboxOptions["network"]>;

/** A network of a few pages; unlisted addresses cannot be reached. */
function network(
  pages: Record<string, () => Response>,
  addresses: Record<string, string[]> = {},
  usesProxy = false,
): Network & { asked: string[]; connected: string[] } {
  const asked: string[] = [];
  const connected: string[] = [];
  return {
    asked,
    connected,
    async fetch(address, { headers, tls, redirect, keepalive }) {
      const url = new URL(address);
      expect(redirect).toBe("manual");
      if (tls) expect(keepalive).toBe(false);
      const name = new Headers(headers).get("host");
      connected.push(`${url.host} ${tls?.serverName ?? ""}`);
      if (name !== null) url.host = name;
      asked.push(url.href);
      const page = pages[url.href];
      if (!page || isDown(address)) throw new Error("unreachable");
      return page();
    },
    lookup: async (host) => (addresses[host] ?? ["93.184.216.34"]).map((address) => ({ address })),
    usesProxy,
  };
}

const isDown = (address: string): boolean => address.includes("93.184.216.99");

const page =
  (body: string, type = "text/html") =>
  () =>
    new Response(body, { headers: { "content-type": type } });
const redirect = (to: string) => () =>
  new Response(null, { status: 302, headers: { location: to } });
const read = async (url: string, pages: Network): Promise<string> =>
  (await room({ network: pages })).say("WebFetch", { url });

/** A page as Markdown. */
const pageText = (html: string, url = "https://example.com/"): Promise<string> =>
  read(url, network({ [url]: page(html) }));

test.each([
  ["file:///etc/passwd", "Only http and https"],
  ["https://me:secret@example.com", "user name or a password"],
  ["example", "not an address"],
])("%s is not read", async (url, reason) => {
  expect(await read(url, network({}))).toContain(reason);
});

const at = await room();
const question = async (host: string): Promise<string> => {
  const review = await at.review("WebFetch", { url: `http://${host}/` });
  return review.verdict === "ask" ? (review.ask.warning ?? "") : review.verdict;
};

test.each([
  "localhost",
  "127.0.0.1",
  "2130706433",
  "0x7f.1",
  "172.20.0.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "[::ffff:127.0.0.1]",
  "[fe80::1]",
  "[2002:7f00:1::]",
  "[64:ff9b::7f00:1]",
  "printer",
  "nas.local",
  "db.internal",
  "localhost.",
])("%s is local", async (host) => {
  expect(await question(host)).toContain("your own machine or network");
});

test.each(["example.com", "8.8.8.8", "[2606:4700::1111]", "172.15.0.1"])(
  "%s is not",
  async (host) => {
    expect(await question(host)).toBe("");
  },
);

test("redirects are followed on the same host, and reported to another", async () => {
  const pages = network({
    "https://example.com/a": redirect("/b"),
    "https://example.com/b": page("here", "text/plain"),
    "https://example.com/out": redirect("https://evil.example/x"),
  });
  expect(await read("https://example.com/a#part", pages)).toBe("here");
  expect(await read("https://example.com/out", pages)).toBe(
    "This page redirects to another site: https://evil.example/x. Call WebFetch with that.",
  );
  expect(pages.asked).not.toContain("https://evil.example/x");
});

test("a circle of redirects, and one to a file, end with a reason", async () => {
  const pages = network({
    "https://example.com/a": redirect("/a"),
    "https://example.com/f": redirect("file:///etc/passwd"),
    ...Object.fromEntries(
      [1, 2, 3, 4, 5].map((at) => [`https://example.com/${at}`, redirect(`/${at + 1}`)]),
    ),
    "https://example.com/6": page("far", "text/plain"),
    "https://example.com/200": () => new Response("here", { headers: { location: "/a" } }),
  });
  expect(await read("https://example.com/1", pages)).toBe("far");
  expect(await read("https://example.com/200", pages)).toBe("here");
  expect(await read("https://example.com/a", pages)).toContain("more than 5 times");
  expect(await read("https://example.com/f", pages)).toContain("is not read");
});

test("a public name that resolves to a local address is not contacted", async () => {
  const pages = network(
    { "https://rebind.example/": page("secret") },
    { "rebind.example": ["127.0.0.1"] },
  );
  expect(await read("https://rebind.example/", pages)).toContain("local network");
  expect(pages.asked).toEqual([]);
});

test("a name is connected to the address that was checked, even if it resolves to a local one afterwards", async () => {
  const pages = network({ "https://rebind.example:8443/a": page("public", "text/plain") });
  let lookups = 0;
  pages.lookup = async () => [{ address: ["93.184.216.34", "127.0.0.1"][lookups++] ?? "" }];
  expect(await read("https://rebind.example:8443/a", pages)).toBe("public");
  expect(pages.connected).toEqual(["93.184.216.34:8443 rebind.example"]);
  expect(lookups).toBe(1);
  expect(await read("https://rebind.example:8443/a", pages)).toContain("local network");
  expect(pages.connected).toHaveLength(1);
});

test("each redirect is looked up and checked again", async () => {
  const pages = network({ "https://rebind.example/a": redirect("/b") });
  let lookups = 0;
  pages.lookup = async () => [{ address: ["93.184.216.34", "10.0.0.1"][lookups++] ?? "" }];
  expect(await read("https://rebind.example/a", pages)).toContain("local network");
  expect(pages.asked).toEqual(["https://rebind.example/a"]);
});

test("another address is tried if one is down, but not if one of them is local", async () => {
  const pages = network(
    { "https://two.example/": page("here", "text/plain") },
    {
      "two.example": ["2606:4700::1", "93.184.216.99", "93.184.216.34"],
      "mixed.example": ["93.184.216.34", "192.168.0.1"],
      "odd.example": ["93.184.216.34", "0x7f.1.example"],
      "none.example": [],
      "down.example": Array.from({ length: 4 }, () => "93.184.216.99"),
    },
  );
  expect(await read("https://two.example/", pages)).toBe("here");
  expect(pages.connected).toEqual(["93.184.216.99 two.example", "93.184.216.34 two.example"]);
  for (const name of ["mixed", "odd"])
    expect(await read(`https://${name}.example/`, pages)).toContain("local network");
  expect(await read("https://none.example/", pages)).toContain("has no address");
  pages.connected.length = 0;
  expect(await read("https://down.example/", pages)).toContain(
    "could not be reached (unreachable)",
  );
  expect(pages.connected).toHaveLength(3);
});

test("after a stop, no other address is tried", async () => {
  const stop = new AbortController();
  const pages = network({}, { "two.example": ["93.184.216.34", "93.184.216.35"] });
  const { fetch } = pages;
  pages.fetch = (...request) => {
    stop.abort();
    return fetch(...request);
  };
  const at = await room({ network: pages });
  await at.run("WebFetch", { url: "https://two.example/" }, { signal: stop.signal });
  expect(pages.connected).toHaveLength(1);
});

test("an approved local name, and any name behind a proxy, is contacted by name", async () => {
  const local = network({ "http://localhost:3000/": page("dev", "text/plain") });
  expect(await read("http://localhost:3000/", local)).toBe("dev");
  expect(local.connected).toEqual(["localhost:3000 "]);
  const pages = { "https://example.com/": page("out", "text/plain") };
  const proxied = network(pages, { "example.com": [] }, true);
  expect(await read("https://example.com/", proxied)).toBe("out");
  expect(proxied.connected).toEqual(["example.com "]);
});

test("a page that is not text, too large, an error or unreachable is reported as such", async () => {
  const body = (bytes: number) => () =>
    new Response(new Uint8Array(bytes).fill(97), { headers: { "content-type": "text/plain" } });
  const pages = network({
    "https://example.com/image": page("x", "image/png"),
    "https://example.com/large": body(5 * 1024 ** 2 + 1),
    "https://example.com/most": body(5 * 1024 ** 2),
    "https://example.com/gone": () => new Response("", { status: 404, statusText: "Not Found" }),
  });
  expect(await read("https://example.com/image", pages)).toContain("image/png, which is not text");
  expect(await read("https://example.com/large", pages)).toContain("larger than 5 MB");
  expect(await read("https://example.com/most", pages)).not.toContain("larger");
  expect(await read("https://example.com/gone", pages)).toContain("answered 404 Not Found");
  expect(await read("https://example.com/no", pages)).toContain("could not be reached");
});

test.each([
  ["text/plain; charset=iso-8859-1", "caf\xe9", "café"],
  ["text/html; charset=Shift_JIS", "<p>\x83e\x83X\x83g", "テスト"],
  ["text/html", '<meta charset="gbk"><p>\xb2\xe2\xca\xd4', "测试"],
  ["text/plain", "caf\xc3\xa9 charset=gbk", "café charset=gbk"],
  ["text/html; charset=utf-8", "\xff\xfe<\0p\0>\0h\0i\0", "hi"],
  ["text/plain; charset=wombat", "caf\xc3\xa9", "café"],
  ["", "caf\xc3\xa9", "café"],
])("%s is read by its charset", async (type, bytes, text) => {
  const body = () =>
    new Response(Buffer.from(bytes, "latin1"), { headers: { "content-type": type } });
  expect(await read("https://a.com/", network({ "https://a.com/": body }))).toBe(text);
});

test("a server that does not answer in time is named with the time", async () => {
  const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
  const timeout = spyOn(AbortSignal, "timeout").mockReturnValue(late);
  const said = await read("https://example.com/no", network({}));
  timeout.mockRestore();
  expect(said).toBe("example.com did not answer within 30 seconds.");
});

test("a page becomes Markdown without what surrounds its content", async () => {
  const html = `<html><head><title>The  Till &amp; co</title><style>x</style></head><body>
    <nav><a href="/menu">menu</a></nav>
    <main><h2>Counting</h2><p>See <a href="../rules">the rules</a> and <a href="javascript:x()">this</a>.</p>
    <pre><code class="language-ts">const a = 1;</code></pre>
    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <img src="x.png" alt="a till"><script>steal()</script></main><footer>imprint</footer></body></html>`;
  const text = await pageText(html, "https://example.com/docs/page");
  expect(text).toBe(
    [
      "# The Till & co",
      "## Counting",
      "See [the rules](https://example.com/rules) and this.",
      "```\nconst a = 1;\n```",
      "| a | b |\n| 1 | 2 |",
      "[image: a till]",
    ].join("\n\n"),
  );
});

const fence = "```";

test.each([
  ["<h1>a</h1><h6>b</h6>", "# a\n\n###### b"],
  ["a&nbsp;b &lt;c&gt;<br>d", "a b <c>\nd"],
  ["x<pre>a  b\n\n\n`c`</pre> d", `x\n\n${fence}\na  b\n\n\n\`c\`\n${fence}\n\nd`],
  ["<pre>open", `${fence}\nopen\n${fence}`],
  ['<pre><code><a href="/z">z</a></code></pre>', `${fence}\nz\n${fence}`],
  ['<a href="#x">x</a> <a href="/y"> </a><a href="/z">z</a>', "x [z](https://example.com/z)"],
  ['<img alt=" a  b "><img alt="">', "[image: a b]"],
  ["a<ol><li>b<li>c</ol>d", "a\n\n- b\n- c\n\nd"],
  ["<li>a", "- a"],
  [
    "<ul><li>one<ul><li>inner</ul><li>two <code>x</ul><p>after<table><tr><td>a<td>b<tr><td>c",
    "- one\n  - inner\n- two `x`\n\nafter\n\n| a| b\n| c",
  ],
  [
    "<ul><li>x".repeat(13),
    Array.from({ length: 13 }, (_, at) => `${"  ".repeat(Math.min(at, 10))}- x`).join("\n"),
  ],
  ["<script>x</script>", "(The page has no text.)"],
  [`<p>${" ".repeat(1_999_996)}yz`, "y"],
])("%#. tags become Markdown, and what is never closed does no harm", async (html, text) => {
  expect(await pageText(html)).toBe(text);
});

test.each([
  ["nested tags", "<div>".repeat(100_000)],
  ["open links", '<a href="/x">'.repeat(100_000)],
  ["open lists", "<ul><li>x".repeat(50_000)],
  ["half entities", "&#".repeat(500_000)],
  ["code fences", `<p>${"``` ".repeat(100_000)}`],
])("a page of %s is read at once", async (_, html) => {
  expect(await pageText(html)).toBeString();
});
