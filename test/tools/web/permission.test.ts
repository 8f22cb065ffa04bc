/** Which sites may be read, and what the question says. */

import { afterAll, expect, test } from "bun:test";
import { leave, room } from "../room.ts";

afterAll(leave);

/** With these rules. */
const judge = async (url: string, allow: string[] = [], deny: string[] = []) =>
  (await room({ rules: { allow, deny } })).verdict("WebFetch", { url });

test("every site is asked about, and a rule for a domain covers what is below it", async () => {
  expect(await judge("https://docs.example.com/")).toBe("ask");
  const allowed = (host: string) =>
    judge(`https://${host}/`, ["WebFetch(domain:example.com)"], ["WebFetch(domain:evil.net)"]);
  expect(await allowed("docs.example.com")).toBe("allow");
  expect(await allowed("example.com")).toBe("allow");
  expect(await allowed("badexample.com")).toBe("ask");
  expect(await allowed("example.com.evil.net")).toBe("refuse");
  expect(await allowed("example.com.evil.org")).toBe("ask");
});

test.each([
  ["bücher.example", "https://shop.BÜCHER.example/"],
  ["xn--bcher-kva.example", "https://bücher.example/"],
  ["evil.net.", "https://evil.net/"],
  ["evil.net", "https://evil.net../"],
  ["https://evil.net/", "https://evil.net/"],
  ["evil.net:8443", "https://evil.net:8443/"],
  ["*.evil.net", "https://a.evil.net./"],
  ["[2001:db8::1]", "https://[2001:db8:0::1]/"],
  ["2001:db8::1", "https://[2001:db8:0::1]/"],
  ["EVIL.net", "https://evil.net/"],
])("a rule for %s is about %s, however either is written", async (domain, url) => {
  expect(await judge(url, ["WebFetch"], [`WebFetch(domain:${domain})`])).toBe("refuse");
});

test("the session's yes is for one host, and can be saved as a rule", async () => {
  const saved: string[] = [];
  const at = await room({ savedRules: { file: "/s", add: (rule) => void saved.push(rule) } });
  const input = { url: "https://example.com/a" };
  const call = { type: "tool_use", id: "w", name: "WebFetch", input } as const;
  const always = { rule: "WebFetch(domain:example.com)", file: "/s" };
  expect(await at.box.review(call)).toMatchObject({ verdict: "ask", ask: { always } });
  at.box.allowForSession(call);
  expect(saved).toEqual([]);
  at.box.allowForSession(call, { save: true });
  expect(saved).toEqual(["WebFetch(domain:example.com)"]);
  expect(await at.verdict("WebFetch", { url: "https://example.com/b" })).toBe("allow");
  expect(await at.verdict("WebFetch", { url: "https://docs.example.com/" })).toBe("ask");
});

test("a rule for a local address covers the port that it names", async () => {
  const named = ["WebFetch", "WebFetch(domain:localhost:3000)"];
  expect(await judge("http://localhost:3000/", named)).toBe("allow");
  expect(await judge("http://localhost:5432/", named)).toBe("ask");
  expect(await judge("http://[::1]:3000/", named)).toBe("ask");
  for (const [port, url] of Object.entries({ 80: "http://localhost/", 443: "https://localhost/" }))
    expect(await judge(url, [`WebFetch(domain:localhost:${port})`])).toBe("allow");
  const all = ["WebFetch(domain:localhost)"];
  expect(await judge("http://localhost:3000/", all)).toBe("ask");
  expect(await judge("http://localhost:3000/", ["WebFetch"], all)).toBe("refuse");
});
