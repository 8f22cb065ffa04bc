/** The last resort before a request that would not fit. */

import { describe, expect, test } from "bun:test";
import { shortenLargest } from "../../src/context/tiers/shorten.ts";
import type { Change } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

const image = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" },
};

function changesFor(session: Builder, needed: number): readonly Change[] {
  const reading = read(session, rules, defaultPolicy);
  const now = { view: session.view, reading, policy: defaultPolicy, rules };
  const plan = shortenLargest(now, needed, "to fit");
  return plan && "changes" in plan ? plan.changes : [];
}

const texts = (changes: readonly Change[]): string[] =>
  changes.flatMap((change) => (change.kind === "replace" ? [change.text] : []));

describe("texts are shortened", () => {
  test("only as far as needed", () => {
    const one = new Builder();
    one.user("Read on.");
    one.step("a", prose(40_000));
    const lengths = [3_000, 4_000, 8_000, 9_000, 12_000, 13_000].map((needed) =>
      Math.round((texts(changesFor(one, needed))[0]?.length ?? 0) / 1_000),
    );
    expect(lengths).toEqual([15, 15, 15, 4, 4, 1]);
  });

  test("results first, then what calls wrote, then messages, and last what is pinned", () => {
    const one = new Builder();
    one.user(prose(9_000));
    one.answer([call("a", "Write", { file_path: "/w/a", content: prose(9_000) })]);
    const result = one.result("a", prose(9_000));
    one.user(prose(9_000));
    const touched = (needed: number) =>
      changesFor(one, needed).map((change) => ("entry" in change ? change.entry : ""));
    expect(touched(2_000)).toEqual([result.id]);
    expect(touched(4_500)).toEqual([result.id, "e3"]);
    expect(touched(7_000)).toEqual([result.id, "e3", "e2"]);
    expect(touched(99_000)).toEqual(["e2", "e3", result.id, "e5"]);
    one.add({ type: "pin", entry: "e2", on: true });
    expect(touched(4_500)).toEqual([result.id, "e3"]);
    expect(touched(7_000)).toEqual(["e2", "e3", result.id, "e5"]);
  });

  test("a text that is hardly longer than what it would become stays", () => {
    const one = new Builder();
    one.user("Read on.");
    one.step("a", prose(410));
    expect(changesFor(one, 99_000)).toEqual([]);
    one.step("b", prose(430));
    expect(changesFor(one, 99_000)).toHaveLength(1);
  });

  test.each([
    [440, 0],
    [441, 1],
  ])("of %d characters, %d are shortened", (chars, count) => {
    const one = new Builder();
    one.user("x".repeat(chars));
    expect(changesFor(one, 99_000)).toHaveLength(count);
  });

  test("so does an input of a call", () => {
    const changed = (chars: number) => {
      const one = new Builder();
      one.user("Write.");
      one.answer([call("a", "Write", { file_path: "/w/a", content: prose(chars) })]);
      one.result("a", "done");
      return changesFor(one, 99_000).length;
    };
    expect([changed(300), changed(400)]).toEqual([0, 1]);
  });

  test("the note says that images are gone, beside the text or alone", () => {
    const one = new Builder();
    one.add({ type: "user", content: [say("Look."), image, image] });
    one.add({ type: "user", content: [image] });
    expect(texts(changesFor(one, 99_000))).toEqual([
      "Look.\n[2 images removed; recall #e2]",
      "[1 image removed; recall #e3]",
    ]);
  });
});
