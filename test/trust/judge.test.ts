/** Verdicts on calls that neither run a command nor name a path, and on paths by mode and rule. */

import { afterAll, expect, test } from "bun:test";
import { judge } from "../../src/trust/judge.ts";
import type { RuleTexts } from "../../src/trust/rules/rules.ts";
import type { Access } from "../../src/tools/tool.ts";
import { verdictLab } from "./verdicts.ts";

type Situation = Parameters<typeof judge>[1];
type Verdict = Awaited<ReturnType<typeof judge>>;

const lab = verdictLab();
afterAll(lab.remove);

type Expected = Verdict["verdict"];
type Options = { tool?: string; mode?: Situation["mode"]; rules?: Partial<RuleTexts> };

const situation = ({ tool = "T", mode = "default", rules = {} }: Options): Situation =>
  lab.situation(mode, { tool, texts: rules, sandbox: async () => false });

const verdict = async (access: Access, options: Options) =>
  (await judge(access, situation(options))).verdict;

const fetch = (host = "example.com"): Access => ({ kind: "fetch", host });
const ofHost = { allow: ["T(domain:example.com)"] };

test.each<[Access, Options, Expected]>([
  [{ kind: "none" }, {}, "allow"],
  [{ kind: "none" }, { rules: { ask: ["T"] } }, "ask"],
  [{ kind: "none" }, { rules: { ask: ["T"] }, mode: "bypass" }, "allow"],
  [{ kind: "none" }, { rules: { deny: ["T"], allow: ["T"] } }, "refuse"],
  [{ kind: "none" }, { rules: { deny: ["T"] }, mode: "bypass" }, "refuse"],
  [{ kind: "none" }, { rules: { deny: ["U"] } }, "allow"],
  [{ kind: "external" }, {}, "ask"],
  [{ kind: "external" }, { rules: { allow: ["T"] } }, "allow"],
  [{ kind: "external" }, { rules: { allow: ["T"], ask: ["T"] } }, "ask"],
  [{ kind: "external" }, { mode: "bypass" }, "allow"],
  [{ kind: "external" }, { rules: { deny: ["T"] }, mode: "bypass" }, "refuse"],
  [{ kind: "external" }, { tool: "mcp__s__t", rules: { allow: ["mcp__s"] } }, "allow"],
  [fetch(), {}, "ask"],
  [fetch(), { mode: "bypass" }, "allow"],
  [fetch(), { rules: ofHost }, "allow"],
  [fetch("example.org"), { rules: ofHost }, "ask"],
  [fetch(), { rules: { deny: ["T(domain:example.com)"] }, mode: "bypass" }, "refuse"],
  [fetch("localhost"), {}, "ask"],
  [fetch("localhost"), { rules: { allow: ["T"] } }, "ask"],
  [fetch("localhost:3000"), { rules: { allow: ["T(domain:localhost:3000)"] } }, "allow"],
  [fetch("localhost:3001"), { rules: { allow: ["T(domain:localhost:3000)"] } }, "ask"],
  [fetch("localhost:3001"), { rules: { deny: ["T(domain:localhost)"] } }, "refuse"],
  [{ kind: "note", path: "/n" }, {}, "ask"],
  [{ kind: "note", path: "/n" }, { rules: { allow: ["T"] } }, "allow"],
  [{ kind: "note", path: "/n" }, { mode: "plan", rules: { allow: ["T"] } }, "refuse"],
  [{ kind: "note", path: "/n" }, { mode: "auto" }, "ask"],
  [{ kind: "note", path: "/n" }, { mode: "bypass" }, "allow"],
])("%j, %j: %s", async (access, options, expected) => {
  expect(await verdict(access, options)).toBe(expected);
});

test("a tool of another program is judged by the name that it gives, in place of its tool's", async () => {
  const resource: Access = { kind: "external", tool: "mcp__secret__read_resource" };
  expect(await verdict(resource, { rules: { deny: ["mcp__secret"] } })).toBe("refuse");
  expect(await verdict(resource, { rules: { allow: ["mcp__secret"] } })).toBe("allow");
  expect(await verdict(resource, { rules: { allow: ["T"] } })).toBe("ask");
});

test("a yes for the session, unless a rule asks each time or denies", async () => {
  const external: Access = { kind: "external" };
  for (const [rules, isOffered, after] of [
    [{}, true, "allow"],
    [{ ask: ["T"] }, false, "ask"],
    [{ deny: ["T"] }, false, "refuse"],
  ] as const) {
    const now = situation({ rules: { ...rules } });
    const rule = { kind: "tool", tool: "T" } as const;
    const asked = await judge(external, now);
    expect("rule" in asked && asked.rule).toEqual(
      isOffered ? rule : "rule" in asked ? null : false,
    );
    now.rules.add(rule);
    expect((await judge(external, now)).verdict).toBe(after);
  }
});

test("a command that needs no network gets none, also behind a proxy", async () => {
  const network = async (access: { hosts?: string[]; background?: boolean }) => {
    const command: Access = { kind: "command", command: "npm test", ...access };
    const verdict = await judge(command, { ...situation({ tool: "Bash" }), usesProxy: true });
    return "execution" in verdict ? verdict.execution?.network : undefined;
  };
  expect(await network({})).toBe("off");
  expect(await network({ hosts: [] })).toBe("off");
  expect(await network({ hosts: ["example.com"] })).toBe("any");
  expect(await network({ background: true })).toBe("off");
});

test("a host of the web may be allowed for the session, but not one on the local network", async () => {
  const ruleFor = async (host: string) => {
    const asked = await judge({ kind: "fetch", host }, situation({}));
    return asked.verdict === "ask" ? asked.rule : undefined;
  };
  expect(await ruleFor("example.com")).toEqual({ kind: "host", host: "example.com" });
  expect(await ruleFor("localhost")).toBeNull();
});
