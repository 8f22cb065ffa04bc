/** Which sites may be read, and what the question says. */

import { afterAll, expect, test } from "bun:test";
import { leave, room } from "../room.ts";

afterAll(leave);

type Texts = Partial<Record<"allow" | "ask" | "deny", string[]>>;

const situation = (texts: Texts = {}) => room({ rules: texts });

const judge = async (url: string, at: ReturnType<typeof situation>) =>
  (await (await at).review("WebFetch", { url: url.includes("//") ? url : `https://${url}/` }))
    .verdict;

test("every site is asked about, and a rule for a domain covers what is below it", async () => {
  expect(await judge("docs.example.com", situation())).toBe("ask");
  const allowed = situation({ allow: ["WebFetch(domain:example.com)"] });
  expect(await judge("docs.example.com", allowed)).toBe("allow");
  expect(await judge("example.com", allowed)).toBe("allow");
  expect(await judge("badexample.com", allowed)).toBe("ask");
  expect(await judge("example.com.evil.net", allowed)).toBe("ask");
  const denied = situation({ allow: ["WebFetch"], deny: ["WebFetch(domain:evil.net)"] });
  expect(await judge("x.evil.net", denied)).toBe("refuse");
  expect(await judge("good.net", denied)).toBe("allow");
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
  const denied = situation({ allow: ["WebFetch"], deny: [`WebFetch(domain:${domain})`] });
  expect(await judge(url, denied)).toBe("refuse");
});

test("the session's yes is for one host, and can be saved as a rule", async () => {
  const saved: string[] = [];
  const at = await room({ savedRules: { file: "/s", add: (rule) => void saved.push(rule) } });
  const input = { url: "https://example.com/a" };
  const call = { type: "tool_use", id: "w", name: "WebFetch", input } as const;
  expect((await at.box.review(call)).verdict).toBe("ask");
  at.box.allowForSession(call);
  expect(saved).toEqual([]);
  at.box.allowForSession(call, { save: true });
  expect(saved).toEqual(["WebFetch(domain:example.com)"]);
  expect(await at.verdict("WebFetch", { url: "https://example.com/b" })).toBe("allow");
  expect(await at.verdict("WebFetch", { url: "https://docs.example.com/" })).toBe("ask");
});

test("a rule for a local address covers the port that it names", async () => {
  const at = situation({ allow: ["WebFetch", "WebFetch(domain:localhost:3000)"] });
  expect(await judge("http://localhost:3000/", at)).toBe("allow");
  expect(await judge("http://localhost:5432/", at)).toBe("ask");
  expect(await judge("http://[::1]:3000/", at)).toBe("ask");
  const wide = situation({ allow: ["WebFetch(domain:localhost)"] });
  expect(await judge("http://localhost:3000/", wide)).toBe("ask");
  const denied = situation({ allow: ["WebFetch"], deny: ["WebFetch(domain:localhost)"] });
  expect(await judge("http://localhost:3000/", denied)).toBe("refuse");
});
