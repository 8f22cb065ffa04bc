/** Verdicts on calls that neither run a command nor name a path, and on paths by mode and rule. */

import { afterAll, describe, expect, test } from "bun:test";
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
  [{ kind: "note", path: "/n" }, {}, "ask"],
  [{ kind: "note", path: "/n" }, { rules: { allow: ["T"] } }, "allow"],
  [{ kind: "note", path: "/n" }, { mode: "plan", rules: { allow: ["T"] } }, "refuse"],
])("%j, %j: %s", async (access, options, expected) => {
  expect(await verdict(access, options)).toBe(expected);
});

describe("a tool of another program", () => {
  const external: Access = { kind: "external" };

  test("is judged by the name that it gives, in place of its tool's", async () => {
    const resource: Access = { kind: "external", tool: "mcp__secret__read_resource" };
    expect(await verdict(resource, { rules: { deny: ["mcp__secret"] } })).toBe("refuse");
    expect(await verdict(resource, { rules: { allow: ["mcp__secret"] } })).toBe("allow");
    expect(await verdict(resource, { rules: { allow: ["T"] } })).toBe("ask");
  });

  test("can be allowed for the session, unless a rule asks each time", async () => {
    expect(await judge(external, situation({}))).toMatchObject({
      rule: { kind: "tool", tool: "T" },
    });
    expect(await judge(external, situation({ rules: { ask: ["T"] } }))).toMatchObject({
      rule: null,
    });
  });

  test("that the user allowed for the session is allowed, unless a rule says otherwise", async () => {
    const after = async (rules: Partial<RuleTexts>) => {
      const now = situation({ rules });
      now.rules.add({ kind: "tool", tool: "T" });
      return (await judge(external, now)).verdict;
    };
    expect(await after({})).toBe("allow");
    expect(await after({ ask: ["T"] })).toBe("ask");
    expect(await after({ deny: ["T"] })).toBe("refuse");
  });
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

describe("a host of the web", () => {
  const allowed = { allow: ["T(domain:example.com)"] };

  test.each<[string, Options, Expected]>([
    ["example.com", {}, "ask"],
    ["example.com", { mode: "bypass" }, "allow"],
    ["example.com", { rules: allowed }, "allow"],
    ["example.org", { rules: allowed }, "ask"],
    ["example.com", { rules: { deny: ["T(domain:example.com)"] }, mode: "bypass" }, "refuse"],
    ["localhost", {}, "ask"],
  ])("%s, %j: %s", async (host, options, expected) => {
    expect(await verdict({ kind: "fetch", host }, options)).toBe(expected);
  });

  test("may be allowed for the session, but not one on the local network", async () => {
    const ruleFor = async (host: string) => {
      const asked = await judge({ kind: "fetch", host }, situation({}));
      return asked.verdict === "ask" ? asked.rule : undefined;
    };
    expect(await ruleFor("example.com")).toEqual({ kind: "host", host: "example.com" });
    expect(await ruleFor("localhost")).toBeNull();
  });
});
