/** What policy "cache-aware" removes, and that the view remains valid and everything can be restored. */

import { expect, test } from "bun:test";
import { nextPlan } from "../../src/context/ladder.ts";
import { buildRequest } from "../../src/context/request.ts";
import type { Plan } from "../../src/context/types.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { brokenRules } from "./api-rules.ts";
import { Builder, rules, say } from "./build.ts";
import { apply, readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";

const minute = 60_000;
const policy = defaultPolicy;
const model = { ...rules, windowTokens: 200_000 };

/** Edits of one file and commands, alternating; then a break in which the cache expires. */
function session(edits: number, file_path = "/w/a.ts"): Builder {
  const one = new Builder();
  one.user("Mend it.");
  for (let n = 0; n < edits; n++) {
    const path = "/w/a.ts";
    const input = { file_path, old_string: prose(900), new_string: `new ${n} ${prose(900)}` };
    one.answer([{ type: "tool_use", id: `e${n}`, name: "Edit", input }]);
    one.result(`e${n}`, "Edited.", {
      tool: "Edit",
      stamps: [{ path, does: "write", hash: "", bytes: 9 }],
    });
    const command = `run ${n} ${prose(600)}`;
    one.answer([{ type: "tool_use", id: `b${n}`, name: "Bash", input: { command } }]);
    one.result(`b${n}`, prose(2_000), { tool: "Bash" });
  }
  one.answer([say("Done.")]);
  one.wait(10 * minute);
  one.user("And now?");
  return one;
}

const plan = (one: Builder): Plan | null => nextPlan("turnStart", readSignals(one, model, policy));

const listChanges = (made: Plan | null) => (made && "changes" in made ? made.changes : []);

const findInput = (one: Builder, id: string) => {
  for (const { content } of one.view.messages)
    for (const block of content)
      if (block.type === "tool_use" && block.id === id) return block.input;
  return undefined;
};

test("in a cold cache old results and replaced texts are cleared; commands and written texts are kept", () => {
  const one = session(6);
  const before = JSON.stringify(one.view.messages);
  const made = plan(one);
  expect(listChanges(made).map(({ kind }) => kind)).toContain("input");
  if (!made) throw new Error("nothing was proposed");
  apply(one, made);
  expect(String(findInput(one, "e0")?.["old_string"])).toMatch(
    /^\[\.\.\. \d+ characters cut; recall #e\d+\]$/,
  );
  expect(String(findInput(one, "e0")?.["new_string"])).toBe(`new 0 ${prose(900)}`);
  expect(String(findInput(one, "b0")?.["command"]).length).toBeGreaterThan(120);
  expect(brokenRules(buildRequest(one.view, model, policy).messages)).toEqual([]);
  const cut = one.path.at(-1);
  if (cut) one.restore(cut.id);
  expect(JSON.stringify(one.view.messages)).toBe(before);
});

test("the calls of the newest results and pinned items are left alone", () => {
  const one = session(6);
  const pinned = one.path.find(({ type }) => type === "assistant");
  if (pinned) one.add({ type: "pin", entry: pinned.id, on: true });
  const touched = listChanges(plan(one)).flatMap((change) =>
    "entry" in change ? change.entry : [],
  );
  const newest = one.path.filter(({ type }) => type === "result").slice(-3);
  const asked = one.path
    .filter(({ type }) => type === "assistant")
    .slice(-4)
    .map(({ id }) => id);
  for (const { id } of newest) expect(touched).not.toContain(id);
  for (const id of asked) expect(touched).not.toContain(id);
  expect(touched).not.toContain(pinned?.id);
});

test("a cut item is not cut again", () => {
  const one = session(6);
  const first = plan(one);
  if (first) apply(one, first);
  expect(plan(one)).toBeNull();
});

test.each(["/w/a.ts", "a.ts", "./a.ts"])(
  "what a call wrote into %s is cleared once it is read again",
  (named) => {
    const one = session(6, named);
    const path = "/w/a.ts";
    one.step("again", prose(3_000), { stamps: [{ path, does: "read", hash: "", bytes: 9 }] });
    for (let n = 0; n < 3; n++) one.step(`n${n}`, "short", { tool: "Bash" });
    one.answer([say("Read.")]);
    one.wait(10 * minute);
    one.user("Go on.");
    const made = plan(one);
    if (made) apply(one, made);
    expect(String(findInput(one, "e0")?.["new_string"])).toContain("characters cut");
  },
);
