/** Invalid cuts change nothing, and the view says why. */

import { expect, test } from "bun:test";
import { markMessages } from "../../../src/context/rules/marks.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Change } from "../../../src/protocol/entry.ts";
import { Builder, call, say } from "../build.ts";

/**
 * e2 is a prompt, e3 a call, e4 its result, e5 an answer; e6 to e9 are the same again; e10 is a
 * prompt.
 */
function session(): Builder {
  const one = new Builder();
  for (const id of ["a", "b"]) {
    one.user(`Read ${id}.`);
    one.step(id, "Some lines.");
    one.answer([say("Done.")]);
  }
  one.user("And now?");
  return one;
}

const cover = (from: string, to: string, text = "Before."): Change => ({
  kind: "cover",
  span: { from, to },
  text,
});

test.each<[string, Change[], RegExp]>([
  ["no change", [], /changes nothing/],
  ["an unknown end", [cover("e2", "e99")], /not on the path/],
  ["ends in the wrong order", [cover("e5", "e2")], /backwards/],
  ["no text", [cover("e2", "e5", " ")], /has no replacement text/],
  ["a call without its result", [cover("e2", "e3")], /splits a call/],
  ["a result without its call", [cover("e4", "e5")], /middle of a tool loop|splits/],
  ["an unknown result", [{ kind: "replace", entry: "e77", text: "x" }], /not on the path/],
  ["no text to replace", [{ kind: "replace", entry: "e1", text: "x" }], /no text to replace/],
  ["a call that nobody made", [{ kind: "input", entry: "e3", toolUse: "z", input: {} }], /no call/],
  ["one bad change among good ones", [cover("e2", "e5"), cover("e9", "e6")], /backwards/],
])("%s", (_, changes, reason) => {
  const one = session();
  const before = JSON.stringify(one.view.messages);
  const cut = one.cut(changes);
  expect(one.view.rejected).toEqual([{ cut: cut.id, reason: expect.stringMatching(reason) }]);
  expect(one.view.cuts).toEqual([]);
  expect(JSON.stringify(one.view.messages)).toBe(before);
});

test("a summary covers an earlier one completely or is rejected; undone, the earlier one applies again", () => {
  const one = session();
  one.cover("e2", "e5", "The first turn.");
  const crossing = one.cover("e5", "e9", "Half of each.");
  expect(one.view.rejected.map(({ cut }) => cut)).toEqual([crossing.id]);
  const around = one.cover("e2", "e9", "Both turns.");
  expect(JSON.stringify(one.view.messages)).not.toContain("The first turn.");
  const beyond = one.cover("e6", "e10", "One turn too many.");
  expect(one.view.rejected.at(-1)).toEqual({
    cut: beyond.id,
    reason: expect.stringMatching(/overlaps/),
  });
  one.restore(around.id);
  expect(JSON.stringify(one.view.messages)).toContain("The first turn.");
  expect(one.view.messages).toEqual(project(one.path).messages);
});

test("what was pinned under an undone summary is quoted by the one above it", () => {
  const covered = session();
  const first = covered.cover("e2", "e5", "The first turn.");
  covered.add({ type: "pin", entry: "e4", on: true });
  covered.cover("e2", "e9", "Both turns.");
  expect(JSON.stringify(covered.view.messages)).not.toContain("Some lines.");
  covered.restore(first.id);
  const never = session();
  never.add({ type: "pin", entry: "e4", on: true });
  never.cover("e2", "e9", "Both turns.");
  expect(covered.view.messages).toEqual(never.view.messages);
  expect(JSON.stringify(never.view.messages)).toContain("Some lines.");
});

test("thinking never carries a cache mark", () => {
  const one = session();
  one.answer([say("So."), call("c")]);
  const thinking = { type: "thinking" as const, thinking: "", signature: "s" };
  const messages = [
    { role: "user" as const, content: [say("Go.")] },
    { role: "assistant" as const, content: [say("So."), thinking] },
  ];
  const marked = markMessages(one.view, messages, { type: "ephemeral" });
  expect(marked[1]?.content).toEqual([
    { ...say("So."), cache_control: { type: "ephemeral" } },
    thinking,
  ]);
});

test("a cut that is undone for one entry still hides the others", () => {
  const one = session();
  const cut = one.cut([
    { kind: "replace", entry: "e4", text: "[first]" },
    { kind: "replace", entry: "e8", text: "[second]" },
  ]);
  one.restore(cut.id, "e4");
  const sent = JSON.stringify(one.view.messages);
  expect(sent).not.toContain("[first]");
  expect(sent).toContain("[second]");
  expect(one.view.rows[3]?.shown).toBe("whole");
});
