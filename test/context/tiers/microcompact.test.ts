/** What a cold cache clears: by size, age, and what came after it. */

import { describe, expect, test } from "bun:test";
import { clearable, isCold, microcompact } from "../../../src/context/tiers/microcompact.ts";
import type { MeterReading } from "../../../src/context/types.ts";
import type { Change, Entry, FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "../build.ts";
import { read } from "../compact.ts";
import { prose } from "../sessions.ts";

const makeSignals = (one: Builder, policy: Policy, reading: Partial<MeterReading> = {}) => ({
  view: one.view,
  reading: { ...read(one, rules, policy), ...reading },
  policy,
  rules,
});

const cleared = (one: Builder, policy: Policy = defaultPolicy): Change[] =>
  clearable(makeSignals(one, policy));

const isCleared = (one: Builder, { id }: Entry): boolean =>
  cleared(one).some((change) => change.kind !== "cover" && change.entry === id);

/** Short commands, each a call. */
function commands(one: Builder, count: number): void {
  for (let n = 0; n < count; n++) one.step(`n${one.path.length}`, "short", { tool: "Bash" });
}

function begun(): Builder {
  const one = new Builder();
  one.user("Go.");
  return one;
}

const stamp = (path: string, does: FileStamp["does"], lines?: [number, number]): FileStamp => ({
  path,
  does,
  hash: "h",
  bytes: 1,
  ...(lines ? { lines } : {}),
});

const bare: Policy = { ...defaultPolicy, policy: "thresholds" };

test("fires when the cache is cold, under the bare thresholds after five idle minutes", () => {
  const one = begun();
  one.step("a", prose(3_000), { tool: "Bash" });
  commands(one, 8);
  const fires = (policy: Policy, reading: Partial<MeterReading>): boolean =>
    microcompact(makeSignals(one, policy, reading)).length > 0;
  const { cache } = read(one, rules, defaultPolicy);
  expect(fires(defaultPolicy, { cache: { ...cache, state: "hot" } })).toBe(false);
  expect(fires(defaultPolicy, { cache: { ...cache, state: "cold", tokens: 0 } })).toBe(true);
  const minute = 60_000;
  const idle = [null, 5 * minute, 5 * minute + 1].map((idleMs) => fires(bare, { idleMs }));
  expect(idle).toEqual([false, false, true]);
  const hour: Policy = { ...bare, cacheTtl: "1h" };
  expect(isCold(makeSignals(one, hour, { idleMs: 60 * minute }))).toBe(false);
  expect(isCold(makeSignals(one, hour, { idleMs: 60 * minute + 1 }))).toBe(true);
});

describe("a result", () => {
  test("of one of the newest six calls is kept; under the bare thresholds only the newest three", () => {
    const one = begun();
    const results = Array.from({ length: 9 }, (_, n) =>
      one.step(`c${n}`, prose(3_000), { tool: "Bash" }),
    );
    const kept = (policy: Policy): number =>
      results.length - cleared(one, policy).filter(({ kind }) => kind === "replace").length;
    expect([kept(defaultPolicy), kept({ ...defaultPolicy, balance: "save" }), kept(bare)]).toEqual([
      6, 3, 3,
    ]);
    expect(kept({ ...bare, keepResults: 5 })).toBe(5);
  });

  test("is kept if it takes hardly more than its placeholder", () => {
    const file = `/results/${"x".repeat(200)}`;
    const is = (chars: number): boolean => {
      const one = begun();
      const result = one.step("a", "x".repeat(chars), { tool: "Bash", file });
      commands(one, 13);
      return isCleared(one, result);
    };
    expect([300, 360, 460, 500].map(is)).toEqual([false, false, true, true]);
  });

  test("that shows a file in work is kept", () => {
    const one = begun();
    const inWork = one.step("a", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    const other = one.step("b", prose(3_000), { tool: "Bash" });
    commands(one, 9);
    expect([inWork, other].map((entry) => isCleared(one, entry))).toEqual([false, true]);
    expect(cleared(one, bare)).toContainEqual(expect.objectContaining({ entry: inWork.id }));
  });
});

describe("a long input", () => {
  const command = (chars: number, more: { keepResults?: number } = {}): number => {
    const one = begun();
    one.answer([call("a", "Bash", { command: "x".repeat(chars) })]);
    one.result("a", "done", { tool: "Bash" });
    commands(one, 3);
    return cleared(one, { ...defaultPolicy, ...more }).length;
  };

  test("is cleared once its result is not among the newest", () => {
    expect(command(900)).toBe(1);
    expect(command(900, { keepResults: 4 })).toBe(0);
    expect(command(900, { keepResults: 5 })).toBe(0);
    expect(command(900, { keepResults: 0 })).toBe(1);
  });

  test("is kept when its result is among the few that a summary left", () => {
    const one = begun();
    commands(one, 3);
    one.user("Go on.");
    const answer = one.answer([call("a", "Bash", { command: prose(900) })]);
    one.result("a", "done", { tool: "Bash" });
    one.answer([say("Done.")]);
    one.cover("e2", `e${one.path.indexOf(answer) - 1}`);
    one.user("More.");
    expect(isCleared(one, answer)).toBe(false);
    commands(one, 3);
    expect(isCleared(one, answer)).toBe(true);
  });

  test("is kept if that would free less than 50 characters", () => {
    // Sixty characters are kept, and the note about the rest takes 36.
    const smallest = Array.from({ length: 200 }, (_, n) => n + 100).find((n) => command(n) > 0);
    expect(smallest).toBe(150);
    const two = (chars: number): number => {
      const one = begun();
      const edits = { file_path: "/w/a", old_string: "x".repeat(chars), line: "y".repeat(90) };
      one.answer([call("a", "Edit", edits)]);
      one.result("a", "done", { tool: "Edit" });
      commands(one, 3);
      return cleared(one).length;
    };
    expect([84, 85].map(two)).toEqual([0, 1]);
  });

  test("is kept if its answer is pinned or summarized", () => {
    const one = begun();
    const answer = one.answer([call("a", "Bash", { command: prose(900) })]);
    one.result("a", "done", { tool: "Bash" });
    one.answer([say("Done.")]);
    one.user("Go on.");
    commands(one, 3);
    expect(isCleared(one, answer)).toBe(true);
    one.add({ type: "pin", entry: answer.id, on: true });
    expect(isCleared(one, answer)).toBe(false);
    one.add({ type: "pin", entry: answer.id, on: false });
    expect(isCleared(one, answer)).toBe(true);
    one.cover("e2", "e5");
    expect(isCleared(one, answer)).toBe(false);
  });
});

describe("what a call wrote into a file", () => {
  const write = (one: Builder, id: string, content: string, path = "/w/a"): Entry => {
    const answer = one.answer([call(id, "Write", { file_path: path, content })]);
    one.result(id, "Written.", { tool: "Write", stamps: [stamp(path, "write")] });
    return answer;
  };

  test.each([
    [1_600, 240, false],
    [1_600, 241, true],
    [1_601, 120, false],
    [1_601, 121, true],
    [4_000, 120, false],
    [4_001, 60, false],
    [4_001, 61, true],
  ])(
    "of %d characters as JSON, last used %d calls ago, is cleared: %s",
    (chars, callsSince, expected) => {
      const one = begun();
      const around = JSON.stringify({ file_path: "/w/a", content: "" }).length;
      const answer = write(one, "a", "x".repeat(chars - around));
      commands(one, callsSince);
      expect(isCleared(one, answer)).toBe(expected);
    },
  );

  test("ages with the answer that ends a turn, too", () => {
    const one = begun();
    // Without a stamp, only calls tell its age.
    const answer = one.answer([call("a", "Write", { file_path: "/w/a", content: prose(9_000) })]);
    one.result("a", "Written.", { tool: "Write" });
    commands(one, 59);
    expect(isCleared(one, answer)).toBe(false);
    one.answer([say("Done.")]);
    expect(isCleared(one, answer)).toBe(true);
  });

  test("is cleared in the first message after a summary as well", () => {
    const one = begun();
    const { id } = one.step("s", "short", { tool: "Bash" });
    const answer = write(one, "a", prose(9_000));
    commands(one, 61);
    one.cover("e2", id);
    expect(isCleared(one, answer)).toBe(true);
  });

  test("is kept while the file is in use", () => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    commands(one, 30);
    one.step("b", "part", { stamps: [stamp("/w/a", "read", [1, 9])] });
    commands(one, 20);
    expect(isCleared(one, answer)).toBe(false);
  });

  test.each<[string, FileStamp, boolean]>([
    ["the whole file was read", stamp("/w/a", "read"), true],
    ["a part of it was read", stamp("/w/a", "read", [1, 9]), false],
    ["another file was read", stamp("/w/b", "read"), false],
    ["it was edited", stamp("/w/a", "write"), false],
  ])("if since then %s, is cleared: %s", (_, since, expected) => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    one.step("b", prose(3_000), { stamps: [since] });
    commands(one, 3);
    expect(isCleared(one, answer)).toBe(expected);
  });

  test("is cleared once the whole file was written again", () => {
    const one = begun();
    const before = write(one, "a", prose(9_000));
    const other = write(one, "b", prose(9_000), "/w/b");
    const after = write(one, "c", prose(9_000));
    commands(one, 3);
    expect([before, other, after].map((entry) => isCleared(one, entry))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("is kept if the later read is no longer shown", () => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    const again = one.step("b", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    commands(one, 3);
    one.cut([{ kind: "replace", entry: again.id, text: "[cleared]" }]);
    expect(isCleared(one, answer)).toBe(false);
  });
});
