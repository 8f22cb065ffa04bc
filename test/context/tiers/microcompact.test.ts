/** What a cold cache clears: by size, age, and what came after it. */

import { bareRules } from "../../bare-rules.ts";
import { describe, expect, test } from "bun:test";
import { clearable, microcompact } from "../../../src/context/tiers/microcompact.ts";
import type { MeterReading } from "../../../src/context/types.ts";
import type { Change, Entry, FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules } from "../build.ts";
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

const bare: Policy = { ...defaultPolicy, ...bareRules };

test("fires when the cache is cold, and where a summary would be due otherwise", () => {
  const one = begun();
  one.step("a", prose(3_000), { tool: "Bash" });
  commands(one, 8);
  const fires = (policy: Policy, reading: Partial<MeterReading>): boolean =>
    microcompact(makeSignals(one, policy, reading)).length > 0;
  const { cache } = read(one, rules, defaultPolicy);
  expect(fires(defaultPolicy, { cache: { ...cache, state: "hot" } })).toBe(false);
  expect(fires(defaultPolicy, { cache: { ...cache, state: "cold", tokens: 0 } })).toBe(true);
  const full = { cache: { ...cache, state: "hot" as const }, usedTokens: 1e9 };
  expect(fires(defaultPolicy, full)).toBe(true);
  expect(fires(bare, full)).toBe(false);
});

describe("a result", () => {
  test("of one of the newest calls is kept, by the balance", () => {
    const one = begun();
    const results = Array.from({ length: 9 }, (_, n) =>
      one.step(`c${n}`, prose(3_000), { tool: "Bash" }),
    );
    const kept = (policy: Policy): number =>
      results.length - cleared(one, policy).filter(({ kind }) => kind === "replace").length;
    expect([kept(defaultPolicy), kept({ ...defaultPolicy, keepCalls: 5 }), kept(bare)]).toEqual([
      3, 5, 3,
    ]);
    expect(kept({ ...defaultPolicy, balance: "keep" })).toBe(9);
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
    const policy = { ...defaultPolicy, keepFileCalls: 200 };
    const gone = cleared(one, policy).map((change) => change.kind !== "cover" && change.entry);
    expect([inWork, other].map(({ id }) => gone.includes(id))).toEqual([false, true]);
    expect(cleared(one, bare)).toContainEqual(expect.objectContaining({ entry: inWork.id }));
  });
});

describe("an input", () => {
  const edit = (one: Builder, id: string, old: string, text: string, path = "/w/a"): Entry => {
    const input = { file_path: path, old_string: old, new_string: text };
    const answer = one.answer([call(id, "Edit", input)]);
    one.result(id, "Edited.", { tool: "Edit", stamps: [stamp(path, "write")] });
    return answer;
  };
  const write = (one: Builder, id: string, content: string, path = "/w/a"): Entry => {
    const answer = one.answer([call(id, "Write", { file_path: path, content })]);
    one.result(id, "Written.", { tool: "Write", stamps: [stamp(path, "write")] });
    return answer;
  };

  test("loses the text that its call replaced; a command and what was written stay", () => {
    const one = begun();
    const edited = edit(one, "a", prose(900), "const kept = 1;");
    const command = one.answer([call("b", "Bash", { command: prose(9_000) })]);
    one.result("b", "done", { tool: "Bash" });
    const written = write(one, "c", prose(9_000), "/w/c");
    commands(one, 9);
    expect([edited, command, written].map((entry) => isCleared(one, entry))).toEqual([
      true,
      false,
      false,
    ]);
    const [change] = cleared(one);
    expect(JSON.stringify(change)).toContain("const kept = 1;");
  });

  test("is kept if that would free less than 50 characters, among the newest results, and if pinned", () => {
    const edited = (chars: number, newer: number): [Builder, Entry] => {
      const one = begun();
      const answer = edit(one, "a", "x".repeat(chars), "y");
      commands(one, newer);
      return [one, answer];
    };
    expect(isCleared(...edited(60, 9))).toBe(false);
    expect(isCleared(...edited(900, 2))).toBe(false);
    const [one, answer] = edited(900, 9);
    expect(isCleared(one, answer)).toBe(true);
    one.add({ type: "pin", entry: answer.id, on: true });
    expect(isCleared(one, answer)).toBe(false);
  });

  test.each<[string, FileStamp, boolean]>([
    ["the whole file was read", stamp("/w/a", "read"), true],
    ["a part of it was read", stamp("/w/a", "read", [1, 9]), false],
    ["another file was read", stamp("/w/b", "read"), false],
    ["it was edited", stamp("/w/a", "write"), false],
  ])("that wrote a file is cleared if since then %s: %s", (_, since, expected) => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    one.step("b", prose(3_000), { stamps: [since] });
    commands(one, 3);
    expect(isCleared(one, answer)).toBe(expected);
  });

  test("that wrote a file is cleared once the whole file was written again", () => {
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

  test("that wrote a file is kept if the later read is no longer shown", () => {
    const one = begun();
    const answer = write(one, "a", prose(9_000));
    const again = one.step("b", prose(3_000), { stamps: [stamp("/w/a", "read")] });
    commands(one, 3);
    one.cut([{ kind: "replace", entry: again.id, text: "[cleared]" }]);
    expect(isCleared(one, answer)).toBe(false);
  });
});
