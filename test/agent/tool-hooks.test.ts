/** What hooks decide about a call, combined with what the rules decide. */

import { describe, expect, test } from "bun:test";
import { HookNews, withPermission } from "../../src/agent/tool-hooks.ts";
import { emptyResult } from "../../src/extensions/hooks/output.ts";
import type { ContextFact } from "../../src/protocol/entry.ts";
import type { Review } from "../../src/tools/tool.ts";

const call = { type: "tool_use", id: "t1", name: "Write", input: {} } as const;
const asks = (rule: string | null): Review => ({
  verdict: "ask",
  readOnly: false,
  ask: { title: "Write", detail: "", detailKind: "text", rule },
});
const allowed: Review = { verdict: "allow", readOnly: true };
const refused: Review = { verdict: "refuse", reason: "A rule denies it." };

const after = (review: Review, decision: "allow" | "ask" | "deny", isLimited = false) =>
  withPermission(review, call, { decision, reason: "policy", isLimited });

test("no decision changes nothing", () => {
  expect(withPermission(allowed, call, null)).toBe(allowed);
});

test("nothing overrides a rule that denies", () => {
  for (const decision of ["allow", "ask", "deny"] as const)
    expect(after(refused, decision)).toBe(refused);
});

test("a denial names the hook's reason", () => {
  expect(after(allowed, "deny")).toMatchObject({
    verdict: "refuse",
    reason: "A hook blocked this call: policy",
  });
});

describe("an allowance", () => {
  test("answers the question, even about a call that always prompts", () => {
    expect(after(asks("Write"), "allow")).toEqual({ verdict: "allow", readOnly: false });
    expect(after(asks(null), "allow").verdict).toBe("allow");
    expect(after(allowed, "allow")).toBe(allowed);
  });

  test("of a project's hook does not cover what always prompts", () => {
    expect(after(asks("Write"), "allow", true).verdict).toBe("allow");
    expect(after(asks(null), "allow", true)).toEqual(asks(null));
  });
});

test("a hook can require approval for a call that needed none", () => {
  const review = after(allowed, "ask");
  expect(review).toMatchObject({ verdict: "ask", readOnly: true, ask: { rule: null } });
  expect(review.verdict === "ask" && review.ask.warning).toBe("A hook asks you to decide: policy");
  const plain = withPermission(allowed, call, { decision: "ask", reason: "", isLimited: false });
  expect(plain.verdict === "ask" && plain.ask.warning).toBe("A hook asks you to decide.");
  expect(after(asks("Write"), "ask")).toEqual(asks("Write"));
});

describe("what several hooks say", () => {
  const result = (stop: string | null, ...facts: ContextFact[]) => ({
    ...emptyResult(),
    facts,
    stop,
  });
  const fact = (kind: ContextFact["kind"], title: string): ContextFact => ({
    type: "context",
    kind,
    title,
    content: [{ type: "text", text: title }],
  });

  test("brings each instructions file once, and everything else as often as it is said", () => {
    const news = new HookNews();
    const [a, b] = [fact("instructions", "a"), fact("instructions", "b")];
    const hook = fact("reminder", "a");
    news.add("PreToolUse", result(null, a, hook));
    news.add("PostToolUse", result(null, a, b, hook));
    expect(news.facts).toEqual([a, hook, b, hook]);
  });

  test("ends the turn for the first reason", () => {
    const news = new HookNews();
    for (const stop of [null, "one", "two"]) news.add("PostToolUse", result(stop));
    expect(news.stop).toBe("one");
  });
});
