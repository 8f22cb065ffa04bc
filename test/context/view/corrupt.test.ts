/** Invalid cuts change nothing, and the view says why. */

import { expect, test } from "bun:test";
import { project } from "../../../src/context/view/view.ts";
import { Builder, say } from "../build.ts";

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
