/** The limits of what later calls will hardly need: size, age, and what came after it. */

import { describe, expect, test } from "bun:test";
import { priceOf } from "../../src/context/cache.ts";
import { clearableItems, type ClearableItem } from "../../src/context/clearable.ts";
import type { Entry, FileStamp } from "../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

const signalsOf = (one: Builder, policy: Policy) => ({
  view: one.view,
  reading: read(one, rules, policy),
  policy,
  rules,
});

const itemsOf = (one: Builder, policy: Policy = defaultPolicy): readonly ClearableItem[] =>
  clearableItems(signalsOf(one, policy));

/** The tier of an entry's item; undefined: the entry is kept. */
function tierOf(one: Builder, { id }: Entry): string | undefined {
  const row = one.view.indexOf(id);
  return itemsOf(one).find((item) => item.row === row)?.tier;
}

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

describe("a result", () => {
  const tier = (chars: number, callsSince: number): string | undefined => {
    const one = begun();
    const result = one.step("a", "x".repeat(chars), { tool: "Bash" });
    commands(one, callsSince);
    return tierOf(one, result);
  };

  test.each([
    [4_000, 12, undefined],
    [4_000, 13, "microcompact"],
    [5_000, 9, undefined],
    [5_001, 8, undefined],
    [5_001, 9, "budget"],
    [5_001, 13, "microcompact"],
    [40, 99, undefined],
  ])("of %d characters, %d calls ago: %s", (chars, callsSince, expected) => {
    expect(tier(chars, callsSince)).toBe(expected);
  });

  test("is kept if it takes hardly more than its placeholder", () => {
    const file = `/results/${"x".repeat(200)}`;
    const isCleared = (chars: number): boolean => {
      const one = begun();
      const result = one.step("a", "x".repeat(chars), { tool: "Bash", file });
      commands(one, 13);
      return tierOf(one, result) !== undefined;
    };
    expect([300, 320, 420, 440].map(isCleared)).toEqual([false, false, true, true]);
  });

  test("is stale once its file was read again, or beyond the newest three searches of a kind", () => {
    const one = begun();
    const stale = one.step("a", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    const searches = [1, 2, 3, 4].map((n) => one.step(`g${n}`, prose(3_000), { tool: "Grep" }));
    const again = one.step("b", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    commands(one, 3);
    expect(tierOf(one, stale)).toBe("snip");
    expect(searches.map((entry) => tierOf(one, entry))).toEqual([
      "snip",
      undefined,
      undefined,
      undefined,
    ]);
    expect(tierOf(one, again)).toBeUndefined();
  });

  test("that a call still waits for, or among the newest, is kept", () => {
    const one = begun();
    const results = [1, 2, 3, 4].map((n) => one.step(`g${n}`, prose(3_000), { tool: "Grep" }));
    expect(results.map((entry) => tierOf(one, entry))).toEqual([
      "snip",
      undefined,
      undefined,
      undefined,
    ]);
    expect(itemsOf(one, { ...defaultPolicy, keepResults: 4 })).toEqual([]);
  });
});

describe("a long input", () => {
  const command = (chars: number, more: { keepResults?: number } = {}): number => {
    const one = begun();
    one.answer([call("a", "Bash", { command: "x".repeat(chars) })]);
    one.result("a", "done", { tool: "Bash" });
    commands(one, 3);
    return itemsOf(one, { ...defaultPolicy, ...more }).length;
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
    expect(tierOf(one, answer)).toBeUndefined();
    commands(one, 3);
    expect(tierOf(one, answer)).toBe("microcompact");
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
      return itemsOf(one).length;
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
    expect(tierOf(one, answer)).toBe("microcompact");
    one.add({ type: "pin", entry: answer.id, on: true });
    expect(tierOf(one, answer)).toBeUndefined();
    one.add({ type: "pin", entry: answer.id, on: false });
    expect(tierOf(one, answer)).toBe("microcompact");
    one.cover("e2", "e5");
    expect(tierOf(one, answer)).toBeUndefined();
  });
});

describe("what a call wrote into a file", () => {
  const write = (one: Builder, id: string, content: string, path = "/w/a"): Entry => {
    const answer = one.answer([call(id, "Write", { file_path: path, content })]);
    one.result(id, "Written.", { tool: "Write", stamps: [stamp(path, "write")] });
    return answer;
  };

  test.each([
    [1_600, 160, undefined],
    [1_600, 161, "microcompact"],
    [1_601, 80, undefined],
    [1_601, 81, "microcompact"],
    [4_000, 80, undefined],
    [4_001, 40, undefined],
    [4_001, 41, "microcompact"],
  ])("of %d characters as JSON, last used %d calls ago: %s", (chars, callsSince, expected) => {
    const one = begun();
    const around = JSON.stringify({ file_path: "/w/a", content: "" }).length;
    const answer = write(one, "a", "x".repeat(chars - around));
    commands(one, callsSince);
    expect(tierOf(one, answer)).toBe(expected);
  });

  test("ages with the answer that ends a turn, too", () => {
    const one = begun();
    // Without a stamp, only calls tell its age.
    const answer = one.answer([call("a", "Write", { file_path: "/w/a", content: prose(9_000) })]);
    one.result("a", "Written.", { tool: "Write" });
    commands(one, 39);
    expect(tierOf(one, answer)).toBeUndefined();
    one.answer([say("Done.")]);
    expect(tierOf(one, answer)).toBe("microcompact");
  });

  test("is cleared in the first message after a summary as well", () => {
    const one = begun();
    const { id } = one.step("s", "short", { tool: "Bash" });
    const answer = write(one, "a", prose(9_000));
    commands(one, 41);
    one.cover("e2", id);
    expect(one.view.sentFrom).toBe(one.view.indexOf(answer.id) ?? -1);
    expect(tierOf(one, answer)).toBe("microcompact");
  });

  test("is kept while the file is in use", () => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    commands(one, 30);
    one.step("b", "part", { stamps: [stamp("/w/a", "read", [1, 9])] });
    commands(one, 20);
    expect(tierOf(one, answer)).toBeUndefined();
  });

  test.each<[string, FileStamp, string | undefined]>([
    ["the whole file was read", stamp("/w/a", "read"), "microcompact"],
    ["a part of it was read", stamp("/w/a", "read", [1, 9]), undefined],
    ["another file was read", stamp("/w/b", "read"), undefined],
    ["it was edited", stamp("/w/a", "write"), undefined],
  ])("since then %s: %s", (_, since, expected) => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    one.step("b", prose(3_000), { stamps: [since] });
    commands(one, 3);
    expect(tierOf(one, answer)).toBe(expected);
  });

  test("is cleared once the whole file was written again", () => {
    const one = begun();
    const before = write(one, "a", prose(9_000));
    const other = write(one, "b", prose(9_000), "/w/b");
    const after = write(one, "c", prose(9_000));
    commands(one, 3);
    expect([before, other, after].map((entry) => tierOf(one, entry))).toEqual([
      "microcompact",
      undefined,
      undefined,
    ]);
  });

  test("is kept if the later read is no longer shown", () => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    const again = one.step("b", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    commands(one, 3);
    one.cut([{ kind: "replace", entry: again.id, text: "[cleared]" }]);
    expect(tierOf(one, answer)).toBeUndefined();
  });
});

test("items are in the order of their rows, and free what their price says", () => {
  const one = begun();
  for (let n = 0; n < 6; n++) {
    one.answer([call(`a${n}`, "Bash", { command: prose(2_000) })]);
    one.result(`a${n}`, prose(9_000), { tool: "Bash" });
  }
  commands(one, 12);
  const items = itemsOf(one);
  expect(items.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  const now = signalsOf(one, defaultPolicy);
  for (const { changes, freed } of items) {
    const { usedBefore, usedAfter } = priceOf(now, changes());
    expect(freed).toBeGreaterThan(300);
    expect(Math.abs(freed - (usedBefore - usedAfter))).toBeLessThan(25);
  }
});
