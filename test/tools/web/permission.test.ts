/** Which sites may be read, and what the question says. */

import { expect, test } from "bun:test";
import { Rules, settingsRules } from "../../../src/trust/rules/rules.ts";
import { judge } from "../../../src/trust/judge.ts";
import type { Situation } from "../../../src/trust/verdict.ts";
import { hostName } from "../../../src/trust/hosts.ts";
import { canonicalHost } from "../../../src/tools/web/address.ts";
import { openWorkspace } from "../../../src/tools/workspace.ts";

const here = import.meta.dir;
const workspace = await openWorkspace({ workspace: here, added: [], results: "/r", home: "/h" });
const folders = { home: "/h", own: "/h/.mini-claude", results: "/r" };

function situation(texts: Partial<Record<"allow" | "ask" | "deny", string[]>> = {}): Situation {
  const bases = { workspace: "/w", home: "/h" };
  const rules = new Rules({ allow: [], ask: [], deny: [], ...texts }, bases);
  const sandbox = async () => false;
  return { mode: "default", rules, workspace, folders, tool: "WebFetch", cwd: "/w", sandbox };
}

const judgeHost = async (host: string, now: Situation) =>
  (await judge({ kind: "fetch", host }, now)).verdict;

test("every site is asked about, and a rule for a domain covers what is below it", async () => {
  expect(await judgeHost("docs.example.com", situation())).toBe("ask");
  const allowed = situation({ allow: ["WebFetch(domain:example.com)"] });
  expect(await judgeHost("docs.example.com", allowed)).toBe("allow");
  expect(await judgeHost("example.com", allowed)).toBe("allow");
  expect(await judgeHost("badexample.com", allowed)).toBe("ask");
  expect(await judgeHost("example.com.evil.net", allowed)).toBe("ask");
  const denied = situation({ allow: ["WebFetch"], deny: ["WebFetch(domain:evil.net)"] });
  expect(await judgeHost("x.evil.net", denied)).toBe("refuse");
  expect(await judgeHost("good.net", denied)).toBe("allow");
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
])("a rule for %s is about %s, however either is written", async (domain, url) => {
  const host = canonicalHost(new URL(url));
  const denied = situation({ allow: ["WebFetch"], deny: [`WebFetch(domain:${domain})`] });
  expect(await judgeHost(host, denied)).toBe("refuse");
});

test.each([
  ["Example.com.", "example.com"],
  ["*.Bücher.example", "*.xn--bcher-kva.example"],
  ["https://example.com/", "example.com"],
  ["0x7f.1", "127.0.0.1"],
  ["a b.com", null],
  ["a.com/path", null],
  ["a.com@evil.net", null],
  ["*.com*", null],
  ["", null],
])("the host that a model names as %j is %j", (text, name) => {
  expect(hostName(text)).toBe(name);
});

test("the session's yes is for one host, and can be saved as a rule", async () => {
  const now = situation();
  const first = await judge({ kind: "fetch", host: "example.com" }, now);
  const rule = first.verdict === "ask" ? first.rule : null;
  if (!rule) throw new Error("No rule was offered.");
  expect(settingsRules(rule, "WebFetch")).toEqual(["WebFetch(domain:example.com)"]);
  now.rules.add(rule);
  expect(await judgeHost("example.com", now)).toBe("allow");
  expect(await judgeHost("docs.example.com", now)).toBe("ask");
});

test("a rule for a local address covers the port that it names", async () => {
  const now = situation({ allow: ["WebFetch", "WebFetch(domain:localhost:3000)"] });
  expect(await judgeHost("localhost:3000", now)).toBe("allow");
  expect(await judgeHost("localhost:5432", now)).toBe("ask");
  expect(await judgeHost("[::1]:3000", now)).toBe("ask");
  const wide = situation({ allow: ["WebFetch(domain:localhost)"] });
  expect(await judgeHost("localhost:3000", wide)).toBe("ask");
  const denied = situation({ allow: ["WebFetch"], deny: ["WebFetch(domain:localhost)"] });
  expect(await judgeHost("localhost:3000", denied)).toBe("refuse");
});

test("an address on the user's own machine prompts with a warning each time", async () => {
  const verdict = await judge({ kind: "fetch", host: "169.254.169.254" }, situation());
  expect(verdict).toMatchObject({
    verdict: "ask",
    warning: "This address is on your own machine or network.",
    rule: null,
  });
});
