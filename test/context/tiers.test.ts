/** The tiers, by what the ladder would cut: what each one does, and what it never touches. */

import { bareRules } from "../bare-rules.ts";
import { describe, expect, test } from "bun:test";
import { nextPlan } from "../../src/context/ladder.ts";
import { buildRequest } from "../../src/context/request.ts";
import { priceRestore } from "../../src/context/meter/cache.ts";
import type { MeterReading, Plan } from "./types.ts";
import type { ToolInput } from "../../src/protocol/block.ts";
import type { Change, Entry, FileStamp, TierName } from "../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { brokenRules } from "./api-rules.ts";
import { begin, Builder, call, picture, rules as smallRules, say, serverSummary } from "./build.ts";
import { read, readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";
import { stamp, told } from "./summary/say.ts";

/** The window for which the settings are meant. */
const rules = { ...smallRules, windowTokens: 200_000 };

const bare: Policy = { ...defaultPolicy, ...bareRules };

/** Readings stay for long. */
const lasting: Policy = { ...defaultPolicy, keepFileCalls: 1_000 };

/** What one tier changes at a turn's start, whatever that frees. */
function changesOf(
  tier: TierName,
  one: Builder,
  changed: Partial<MeterReading>,
  policy = defaultPolicy,
): Change[] {
  const alone: Policy = { ...policy, minFreed: 0, autoCompact: "off" };
  const plan = nextPlan("turnStart", readSignals(one, rules, alone, changed));
  if (!plan || !("changes" in plan)) return [];
  return plan.changes.filter(
    (change) => change.kind !== "cover" && (change.tier ?? plan.tier) === tier,
  );
}

const entriesOf = (changes: readonly Change[]): string[] =>
  changes.flatMap((change) => ("entry" in change ? change.entry : []));

const textOf = (change: Change | undefined): string =>
  change?.kind === "replace" ? change.text : "";

/** Short commands, each a call. */
function commands(one: Builder, count: number): void {
  for (let n = 0; n < count; n++) one.step(`n${one.path.length}`, "short", { tool: "Bash" });
}

/** A step for each text, and three short ones that no tier may cut. */
function steps(texts: readonly string[], more: { tool?: string; file?: string } = {}): Builder {
  const one = begin();
  for (const [n, text] of [...texts, "a", "b", "c"].entries())
    one.step(`c${n}`, text, { tool: "Web", ...more });
  one.next();
  return one;
}

describe("trim", () => {
  const trims = (one: Builder, utilization: number, policy?: Policy) =>
    changesOf("budget", one, { utilization }, policy);
  const trimmed = (one: Builder, utilization: number) => entriesOf(trims(one, utilization));

  test("acts on results over 8,000 characters from 50 % on, over 4,000 above 70 %", () => {
    const one = steps([40_000, 8_000, 13_000, 6_500, 4_000].map(prose));
    expect(trimmed(one, 0.4999)).toEqual([]);
    expect(trimmed(one, 0.5)).toEqual(["e4", "e8"]);
    expect(trimmed(one, 0.7)).toEqual(["e4", "e8"]);
    expect(trimmed(one, 0.7001)).toEqual(["e4", "e6", "e8", "e10"]);
  });

  test("keeps whole lines at both ends within the limit, and trims again only to the lower one", () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n} of the file`).join("\n");
    const one = steps([lines]);
    const changes = trims(one, 0.6);
    const text = textOf(changes[0]);
    expect(text.length).toBeWithin(7_000, 8_001);
    expect(text).toMatch(/^line 0 of the file\n[^]*\nline 1999 of the file$/);
    for (const line of text.split("\n"))
      expect(line).toMatch(
        /^(line \d+ of the file|\[\.\.\. \d+ characters cut; full text: recall #e4 \.\.\.\])$/,
      );
    one.cut(changes, "budget");
    expect(trimmed(one, 0.6)).toEqual([]);
    expect(trimmed(one, 0.9)).toEqual(["e4"]);
  });

  test("cuts no character in half, and names the file that holds the full result", () => {
    const [change] = trims(steps(["👩‍🔧".repeat(9_000)], { file: "/h/1-web.txt" }), 0.6);
    expect(textOf(change).isWellFormed()).toBe(true);
    expect(textOf(change)).toContain("full text: /h/1-web.txt");
  });

  test("leaves the newest results, pins and readings of files in work whole", () => {
    const one = begin();
    const file = one.step("f", prose(20_000), { stamps: [stamp("/w/a", "read")] });
    const pinned = one.step("p", prose(20_000), { tool: "Web" });
    one.add({ type: "pin", entry: pinned.id, on: true });
    for (const n of [1, 2, 3]) one.step(`n${n}`, prose(20_000), { tool: "Web" });
    expect(entriesOf(trims(one, 0.9, lasting))).toEqual([]);
    expect(entriesOf(trims(one, 0.9, bare))).toEqual([file.id]);
  });
});

describe("drop", () => {
  const drops = (one: Builder, utilization: number, policy?: Policy) =>
    entriesOf(changesOf("snip", one, { utilization }, policy));

  /** Which of the results are stale, by their number. */
  function stale(...results: FileStamp[][]): number[] {
    const one = begin();
    const ids = results.map((stamps, n) => one.step(`c${n}`, prose(900), { stamps }).id);
    commands(one, 3);
    return drops(one, 0.9, bare).map((id) => ids.indexOf(id));
  }

  const whole = stamp("/a", "read");
  const other = stamp("/b", "read");
  const part = (from: number, to: number) => stamp("/a", "read", [from, to]);

  test.each<[string, FileStamp[][], number[]]>([
    ["is stale once the whole was read later", [[part(5, 9)], [whole]], [0]],
    ["stays when a part was read later", [[whole], [part(5, 9)]], []],
    [
      "is stale once the same lines were read later",
      [[part(5, 9)], [part(5, 9)], [part(20, 30)]],
      [0],
    ],
    ["stays when fewer lines were read at the start", [[part(5, 9)], [part(6, 9)]], []],
    ["stays when fewer lines were read at the end", [[part(5, 9)], [part(5, 8)]], []],
    ["stays when another file was read", [[whole], [other]], []],
    [
      "is stale once its file was written; a write never is",
      [[whole], [stamp("/a", "write")], [whole]],
      [0],
    ],
    ["stays when one of its files was read", [[whole, other], [whole]], []],
    ["is stale once each of its files was read", [[whole, other], [whole], [other]], [0]],
    [
      "stays when it wrote one of its two files",
      [
        [whole, stamp("/b", "write")],
        [whole, other],
      ],
      [],
    ],
  ])("a read %s", (_, reads, expected) => {
    expect(stale(...reads)).toEqual(expected);
  });

  test("acts above 60 %, on stale reads, and on searches and commands beyond the newest three", () => {
    const one = begin();
    for (const n of [1, 2]) one.step(`r${n}`, prose(900), { stamps: [stamp("/w/a", "read")] });
    for (const n of [1, 2, 3, 4]) one.step(`g${n}`, prose(900), { tool: "Grep" });
    for (const n of [1, 2, 3, 4, 5]) one.step(`b${n}`, prose(900), { tool: "Bash" });
    one.next();
    expect(drops(one, 0.6)).toEqual([]);
    expect(drops(one, 0.601)).toEqual(["e4", "e8", "e16", "e18"]);
    const fewer = { ...defaultPolicy, keepSearches: 2 };
    expect(drops(one, 0.601, fewer)).toEqual(["e4", "e8", "e10", "e16", "e18"]);
  });

  test("leaves the newest reading of a file in work, even if the file was written since", () => {
    const one = begin();
    const reading = one.step("r", prose(900), { stamps: [stamp("/w/a", "read")] });
    one.step("w", "Written.", { tool: "Edit", stamps: [stamp("/w/a", "write")] });
    commands(one, 3);
    expect(drops(one, 0.9)).toEqual([]);
    expect(drops(one, 0.9, bare)).toEqual([reading.id]);
  });
});

/** What is cleared while the cache is cold. */
const cleared = (one: Builder, policy?: Policy): Change[] => {
  const { cache } = read(one, rules, defaultPolicy);
  return changesOf("microcompact", one, { cache: { ...cache, state: "cold", tokens: 0 } }, policy);
};

const isCleared = (one: Builder, { id }: Entry, policy?: Policy): boolean =>
  entriesOf(cleared(one, policy)).includes(id);

describe("clear, a result", () => {
  test("of one of the newest calls is kept, by the balance", () => {
    const one = begin();
    for (let n = 0; n < 9; n++) one.step(`c${n}`, prose(3_000), { tool: "Bash" });
    const kept = (policy: Policy): number => 9 - cleared(one, policy).length;
    expect([kept(defaultPolicy), kept({ ...defaultPolicy, keepCalls: 5 }), kept(bare)]).toEqual([
      3, 5, 3,
    ]);
    expect(kept({ ...defaultPolicy, balance: "keep" })).toBe(9);
    expect(kept({ ...bare, keepResults: 5 })).toBe(5);
  });

  test("is kept if it takes hardly more than its placeholder", () => {
    const file = `/results/${"x".repeat(200)}`;
    const is = (chars: number): boolean => {
      const one = begin();
      const result = one.step("a", "x".repeat(chars), { tool: "Bash", file });
      commands(one, 13);
      return isCleared(one, result);
    };
    expect([300, 360, 460, 500].map(is)).toEqual([false, false, true, true]);
  });

  test("that is an error of the current turn is kept", () => {
    const one = begin();
    const failed = one.step("a", prose(900), { tool: "Bash", isError: true });
    commands(one, 9);
    expect(isCleared(one, failed)).toBe(false);
    one.next();
    expect(isCleared(one, failed)).toBe(true);
  });

  test("that loads tools is kept: the model could not call them any more", () => {
    const one = begin();
    const loads = [{ name: "a", description: "", input_schema: { type: "object" as const } }];
    const result = one.step("s", prose(900), { tool: "ToolSearch", loads });
    commands(one, 9);
    expect(isCleared(one, result)).toBe(false);
  });

  test("leaves what it was, its size, and the way back", () => {
    const placeholder = (text: string, more: object = {}, tools?: readonly string[]): string => {
      const one = begin("Go.", tools && { tools });
      one.step("a", text, { tool: "Grep", ...more });
      commands(one, 3);
      one.next();
      return textOf(cleared(one)[0]);
    };
    // The builder also counts the block around a text.
    const sized = (bytes: number) => placeholder("x".repeat(bytes - 6));
    expect(sized(1_023)).toBe("[cleared: 1 line, 1023 bytes; recall #e4]");
    expect([1_024, 1_600, 102_400].map((bytes) => /[\d.]+ KB/.exec(sized(bytes))?.[0])).toEqual([
      "1.0 KB",
      "1.6 KB",
      "100.0 KB",
    ]);
    const failed = placeholder(`${prose(900)}\n[exit code 2]`, { isError: true });
    expect(failed).toEndWith(", failed with exit code 2; recall #e4]");
    expect(placeholder(prose(900), { file: "/h/1-grep.txt" })).toEndWith("it is in /h/1-grep.txt]");
    expect(placeholder(prose(900), {}, ["Read"])).toMatch(/^\[cleared: \d+ lines?, \d+ bytes\]$/);
  });
});

describe("clear, a reading", () => {
  /** Which of the readings are kept, by their number; `since`: calls after them. */
  function kept(
    reads: readonly (FileStamp & { chars?: number })[],
    since = 4,
    policy?: Policy,
  ): number[] {
    const one = begin();
    const results = reads.map(({ chars = 5_000, ...read }, n) =>
      one.step(`r${n}`, "x".repeat(chars), { stamps: [read] }),
    );
    commands(one, since);
    const gone = entriesOf(cleared(one, policy));
    return results.flatMap(({ id }, n) => (gone.includes(id) ? [] : [n]));
  }
  const whole = (path: string, chars = 5_000) => ({ ...stamp(path, "read"), chars });
  const part = (path: string, from: number) => ({
    ...stamp(path, "read", [from, from]),
    chars: 600,
  });

  test("of a whole file is kept if it is the newest; the newest part since, too", () => {
    const reads = [whole("/a"), part("/a", 1), whole("/a"), part("/a", 5)];
    expect(kept(reads, 4, lasting)).toEqual([2, 3]);
    expect(kept([part("/p", 1), part("/p", 2), part("/p", 3)], 4, lasting)).toEqual([2]);
    expect(kept([whole("/a")], 4, bare)).toEqual([]);
  });

  /** Characters of a result in addition to its text. */
  const frame = 30;

  test.each([
    ["read", 4_000, 5],
    ["edited", 4_000, 100],
    ["edited", 4_001, 10],
    ["edited", 10_000, 10],
  ] as const)("a %s file of %d characters is kept for %d calls", (how, chars, calls) => {
    const file = whole("/a", chars - frame);
    const reads = how === "read" ? [file] : [{ ...stamp("/a", "write"), chars: 50 }, file];
    const isKept = (since: number): boolean => kept(reads, since).includes(reads.length - 1);
    expect([isKept(calls), isKept(calls + 1)]).toEqual([true, false]);
  });

  test("is kept longer or cleared sooner by the balance", () => {
    const keeps = (balance: Policy["balance"]): boolean =>
      kept([whole("/a")], 8, { ...defaultPolicy, balance }).length > 0;
    expect([keeps("keep"), keeps("save")]).toEqual([true, false]);
  });

  test("is kept if the newer one is summarized", () => {
    const one = begin();
    const first = one.step("a", prose(5_000), { stamps: [stamp("/a", "read")] });
    one.next();
    one.step("b", prose(5_000), { stamps: [stamp("/a", "read")] });
    one.next();
    one.cover("e6", "e9");
    commands(one, 4);
    expect(isCleared(one, first, lasting)).toBe(false);
  });

  test("by a shell command is one in part", () => {
    const one = begin();
    const printed = ["sed -n '1,80p' src/a.ts", "cat src/a.ts | head", "ls src"].map((command) =>
      one.step(command, prose(600), { tool: "Bash", input: { command } }),
    );
    commands(one, 4);
    expect(printed.map((result) => isCleared(one, result))).toEqual([true, false, true]);
  });
});

describe("clear, an input", () => {
  /** The answer with a call that changes a file. */
  const changing =
    (tool: string) =>
    (one: Builder, input: ToolInput, path = "/w/a") => {
      const id = `t${one.path.length}`;
      const answer = one.answer([call(id, tool, { file_path: path, ...input })]);
      one.result(id, "Done.", { tool, stamps: [stamp(path, "write")] });
      return answer;
    };
  const [edit, write] = [changing("Edit"), changing("Write")];
  const content = prose(9_000);
  const inputOf = (change: Change | undefined): ToolInput | undefined =>
    change?.kind === "input" ? change.input : undefined;

  test("loses the text that its call replaced, in lists too; a command and what was written stay", () => {
    const one = begin();
    const edited = edit(one, { old_string: prose(900), new_string: "const kept = 1;" });
    const edits = [{ oldText: prose(500), newText: "x" }, { oldText: "y" }];
    const listed = edit(one, { edits }, "/w/l");
    const command = one.answer([call("b", "Bash", { command: prose(9_000) })]);
    one.result("b", "done", { tool: "Bash" });
    const written = write(one, { content }, "/w/c");
    commands(one, 9);
    const all = [edited, listed, command, written];
    expect(all.map((entry) => isCleared(one, entry))).toEqual([true, true, false, false]);
    const before = JSON.stringify(one.view.messages);
    const changes = cleared(one);
    expect(changes.map(inputOf)).toEqual([
      {
        file_path: "/w/a",
        old_string: "[... 900 characters cut; recall #e3]",
        new_string: "const kept = 1;",
      },
      {
        file_path: "/w/l",
        edits: [
          { oldText: "[... 500 characters cut; recall #e5]", newText: "x" },
          { oldText: "y" },
        ],
      },
    ]);
    const cut = one.cut(changes, "microcompact");
    expect(brokenRules(buildRequest(one.view, rules, defaultPolicy).messages)).toEqual([]);
    expect(cleared(one)).toEqual([]);
    one.restore(cut.id);
    expect(JSON.stringify(one.view.messages)).toBe(before);
  });

  test("is kept if that would free less than 50 characters, among the newest results, and if pinned", () => {
    const edited = (chars: number, newer: number): [Builder, Entry] => {
      const one = begin();
      const answer = edit(one, { old_string: "x".repeat(chars), new_string: "y" });
      commands(one, newer);
      return [one, answer];
    };
    expect([84, 85].map((chars) => isCleared(...edited(chars, 9)))).toEqual([false, true]);
    expect(isCleared(...edited(900, 2))).toBe(false);
    const crashed = begin();
    const lost = crashed.answer([call("a", "Edit", { old_string: prose(900) })]);
    commands(crashed, 3);
    expect(isCleared(crashed, lost)).toBe(true);
    const [one, answer] = edited(900, 9);
    expect(isCleared(one, answer)).toBe(true);
    one.add({ type: "pin", entry: answer.id, on: true });
    expect(isCleared(one, answer)).toBe(false);
  });

  test("of a failed answer is left, and one that the user restored or a summary covers", () => {
    const one = begin();
    const failed = one.answer([call("f", "Edit", { old_string: prose(900) })], { stop: "failed" });
    const restored = edit(one, { old_string: prose(900), new_string: "y" });
    commands(one, 9);
    expect([failed, restored].map((entry) => isCleared(one, entry))).toEqual([false, true]);
    const cut = one.cut(cleared(one));
    expect(one.view.rejected).toEqual([]);
    one.restore(cut.id, restored.id);
    expect(isCleared(one, restored)).toBe(false);
    const summed = begin();
    edit(summed, { old_string: prose(900), new_string: "y" });
    summed.step("b", prose(3_000), { tool: "Bash" });
    summed.next();
    summed.cover("e2", "e7");
    const { id } = summed.step("c", prose(3_000), { tool: "Bash" });
    commands(summed, 9);
    expect(entriesOf(cleared(summed))).toEqual([id]);
  });

  const reads = (path: string, lines?: [number, number]) => (one: Builder) =>
    one.step("b", prose(3_000), { stamps: [stamp(path, "read", lines)] });

  test.each<[string, (one: Builder) => Entry, boolean]>([
    ["the whole file was read", reads("/w/a"), true],
    ["a part of it was read", reads("/w/a", [1, 9]), false],
    ["another file was read", reads("/w/b"), false],
    ["it was edited", (one) => edit(one, { old_string: prose(200) }), false],
    [
      "it was read, but is no longer shown",
      (one) => {
        const { id: entry } = reads("/w/a")(one);
        return one.cut([{ kind: "replace", entry, text: "[cleared]" }]);
      },
      false,
    ],
  ])("that wrote a file is cleared if since then %s: %p", (_, since, expected) => {
    for (const file_path of ["/w/a", "a", "./a"]) {
      const one = begin();
      const answer = write(one, { file_path, content });
      since(one);
      commands(one, 3);
      expect(isCleared(one, answer)).toBe(expected);
    }
  });

  test("that wrote a file keeps its start once the whole file was written again", () => {
    const one = begin();
    const paths = ["/w/a", "/w/b", "/w/a"];
    const all = paths.map((path) => write(one, { content }, path));
    commands(one, 3);
    expect(all.map((entry) => isCleared(one, entry))).toEqual([true, false, false]);
    expect(inputOf(cleared(one)[0])?.["content"]).toBe(
      `${content.slice(0, 60)}[... 8940 characters cut; recall #e3]`,
    );
  });
});

describe("summarize", () => {
  const wide = { ...rules, windowTokens: 1_000_000 };

  type Limits = Partial<Policy> & { model?: typeof wide; effectiveTokens?: number };

  /** The plan at this share of 100,000 tokens, where no other tier may cut. */
  function at(one: Builder, utilization: number, limits: Limits = {}) {
    const { model = wide, effectiveTokens = 100_000, ...changed } = limits;
    const policy = { ...defaultPolicy, summaryAt: 0.85, keepResults: 50, ...changed };
    const usedTokens = utilization * effectiveTokens;
    const size = { utilization, usedTokens, effectiveTokens };
    const plan = nextPlan("turnStart", readSignals(one, model, policy, size));
    return plan && "summarize" in plan ? plan : null;
  }

  test("replaces what came before the turn above 85 %, or above what the user sets", () => {
    const one = steps([prose(9_000)]);
    expect(at(one, 0.85)).toBeNull();
    expect(at(one, 0.8501)).toMatchObject({
      tier: "summary",
      reason: "summarize 1 turn: 85 % used",
      summarize: { from: "e2", to: "e11" },
    });
    const isDue = (used: number, summaryAt: number) => at(one, used, { summaryAt }) !== null;
    expect([isDue(0.4, 0.4), isDue(0.41, 0.4)]).toEqual([false, true]);
    expect([isDue(0.4, 40_000), isDue(0.41, 40_000)]).toEqual([false, true]);
    expect(isDue(1.01, 500_000)).toBe(true);
  });

  test("is not worth it for less than 1,000 tokens, or a twentieth of a small window", () => {
    const worth = (chars: number, effectiveTokens = 100_000) =>
      at(steps([prose(chars)]), 0.9, { effectiveTokens }) !== null;
    expect([2_600, 2_700, 2_800, 2_900, 3_000, 3_100].find((chars) => worth(chars))).toBe(2_900);
    expect([worth(2_000), worth(2_000, 10_000)]).toEqual([false, true]);
  });

  test("comes at 65,000 tokens with the balance that saves", () => {
    const one = steps([prose(9_000)]);
    const isDue = (tokens: number, balance: Policy["balance"]) =>
      at(one, tokens / 200_000, { balance, effectiveTokens: 200_000 }) !== null;
    expect([isDue(65_000, "save"), isDue(65_001, "save")]).toEqual([false, true]);
    expect([isDue(66_000, "balanced"), isDue(66_000, "keep")]).toEqual([false, false]);
  });

  /** Whether a summary of the span that is ready is used. */
  function usesDraft(from: string, to: string, model = wide, isSigned = false): boolean {
    const span = { from, to };
    const one = steps([prose(9_000), prose(9_000), prose(9_000)]);
    one.attempt({ draft: { span, text: "Sum.", ...(isSigned && { block: serverSummary() }) } });
    return at(one, 0.9, { model })?.draft !== undefined;
  }

  test("uses one that is ready if it begins and ends within what is to be summarized", () => {
    expect(usesDraft("e2", "e15")).toBe(true);
    expect(usesDraft("e4", "e15")).toBe(false);
    expect(usesDraft("e2", "e16")).toBe(false);
  });

  test("uses one that the server signed unless the model cannot take it", () => {
    const signed = (model = wide) => usesDraft("e2", "e15", model, true);
    expect([signed(), signed({ ...wide, compacts: false })]).toEqual([true, false]);
  });
});

/** The cut before a call whose request would be so many tokens too large. */
function forced(one: Builder, needed: number, model = smallRules, policy = defaultPolicy) {
  const { usedTokens: before } = read(one, model, policy);
  const { excessTokens } = priceRestore(one.path, { cut: "" }, model, policy, one.nowMs);
  const usedTokens = before + needed - excessTokens;
  return nextPlan("beforeCall", readSignals(one, model, policy, { usedTokens }));
}

const changes = (plan: Plan | null): Change[] => (plan && "changes" in plan ? plan.changes : []);

describe("the forced cut", () => {
  test("drops old results if hardly anything can be summarized, then shortens", () => {
    const one = new Builder();
    const { id } = one.user(prose(100_000));
    one.add({ type: "pin", entry: id, on: true });
    const old = one.step("old", prose(900));
    for (const name of ["a", "b"]) one.step(name, "short");
    one.step("open", prose(60_000));
    expect(forced(one, 50)).toMatchObject({
      tier: "microcompact",
      changes: [{ kind: "replace", entry: old.id }],
    });
    expect(forced(one, 5_000)?.tier).toBe("budget");
    // Too short for anything but a placeholder.
    const small = begin();
    small.step("old", prose(300));
    commands(small, 3);
    expect(forced(small, 5_000)?.action).toBe("clear 1 old item");
  });

  test("clears what is not needed first, and keeps a file that is being edited", () => {
    const one = begin("Mend it.");
    const inWork = one.step("file", prose(9_000), { stamps: [stamp("/w/a.ts", "read")] });
    for (let n = 0; n < 10; n++) one.step(`c${n}`, prose(6_000), { tool: "Bash" });
    const plan = forced(one, 500, { ...rules, windowTokens: 27_000 }, lasting);
    expect(plan?.reason).toBe(
      "clear 7 old items: the next request and its answer are 500 tokens too large",
    );
    expect(entriesOf(changes(plan))).not.toContain(inWork.id);
  });

  test("is a summary where clearing frees enough, but less than a quarter of the window", () => {
    const one = begin("Talk.");
    one.step("a", prose(3_000), { tool: "Bash" });
    commands(one, 3);
    for (let n = 0; n < 10; n++) {
      one.answer([say(prose(6_000))]);
      one.user("And then?");
    }
    expect(forced(one, 300)?.tier).toBe("summary");
    expect(changes(forced(one, 300, { ...smallRules, windowTokens: 2_500 }))).not.toEqual([]);
  });

  test("leaves results that the model has not seen, however many", () => {
    const one = begin("Go on.");
    for (const id of ["u", "v", "w"]) one.step(id, prose(6_000), { tool: "Bash" });
    const ids = ["a", "b", "c", "d", "e", "f"];
    one.answer(ids.map((id) => call(id, "Bash")));
    const open = ids.map((id) => one.result(id, prose(9_000), { tool: "Bash" }));
    const cut = entriesOf(changes(forced(one, 500)));
    expect(open.filter(({ id }) => cut.includes(id))).toEqual([]);
  });

  test("clears the oldest readings, too, until half of the window is free", () => {
    const one = begin("Go on.");
    const use = (id: string, chars: number, does: FileStamp["does"]) =>
      one.step(id, prose(chars), { stamps: [stamp(`/w/${id.slice(1)}`, does)] });
    for (let n = 0; n < 10; n++) use(`w${n}`, 1_500, "write");
    const reads = Array.from({ length: 40 }, (_, n) => use(`r${n}`, 3_000, "read"));
    const { usedTokens } = read(one, rules, lasting);
    const model = { ...rules, windowTokens: Math.round(usedTokens * 1.1) };
    const plan = nextPlan("beforeCall", readSignals(one, model, lasting));
    const { effectiveTokens } = read(one, model, lasting);
    expect((plan?.price.usedAfter ?? 0) - effectiveTokens / 2).toBeWithin(-1_000, 1);
    expect(entriesOf(changes(plan))[0]).toBe("e4");
    expect(entriesOf(changes(plan))).not.toContain(reads.at(-4)?.id);
  });
});

describe("shortening, as a last resort,", () => {
  const texts = (made: readonly Change[]): string[] =>
    made.flatMap((change) => (change.kind === "replace" ? [change.text] : []));
  const cutFor = (one: Builder, needed: number) => changes(forced(one, needed));

  test("cuts only as far as needed", () => {
    const one = begin();
    one.step("a", prose(40_000));
    const length = (session: Builder, needed: number, model = smallRules) =>
      Math.round((texts(changes(forced(session, needed, model)))[0]?.length ?? 0) / 1_000);
    const all = [3_000, 4_000, 8_000, 9_000, 12_000, 13_000];
    expect(all.map((needed) => length(one, needed))).toEqual([15, 15, 15, 4, 4, 1]);
    // To leave more than four fifths of a text is not worth it.
    const dense = { ...smallRules, charsPerToken: { prose: 1, code: 1, result: 1 } };
    const barely = [18_700, 18_800].map((chars) => length(begin(prose(chars)), 500, dense));
    expect(barely).toEqual([4, 15]);
  });

  test("begins with results, then come what calls wrote, messages, and last what is pinned", () => {
    const one = begin(prose(3_000));
    const input = { file_path: "/w/a", content: prose(9_000) };
    const result = one.step("a", prose(9_000), { tool: "Write", input });
    one.user(prose(3_000));
    const touched = (needed: number) => entriesOf(cutFor(one, needed));
    expect(touched(2_000)).toEqual([result.id]);
    expect(touched(4_500)).toEqual(["e3", result.id]);
    expect(touched(6_300)).toEqual(["e2", "e3", result.id]);
    expect(touched(99_000)).toEqual(["e2", "e3", result.id, "e5"]);
    one.add({ type: "pin", entry: "e2", on: true });
    expect(touched(4_500)).toEqual(["e3", result.id]);
    expect(touched(6_300)).toEqual(["e2", "e3", result.id, "e5"]);
  });

  test("what the program told is shortened like messages", () => {
    const one = new Builder();
    const { id } = one.add(told("reminder", "hook", prose(9_000)));
    one.user("Go.");
    expect(entriesOf(cutFor(one, 99_000))).toEqual([id]);
  });

  test.each([
    [440, 0],
    [441, 1],
  ])("of messages of %d characters, cuts %d", (chars, count) => {
    const one = begin("x".repeat(chars));
    expect(cutFor(one, 99_000)).toHaveLength(count);
  });

  test("clips every text of an input, however deep, and nothing else", () => {
    const one = begin();
    const edits = [{ old: prose(900), line: 3, all: true, none: null }, { old: prose(200) }];
    one.step("a", "done", { tool: "Edit", input: { file_path: "/a", edits } });
    const [change] = cutFor(one, 99_000);
    expect(change?.kind === "input" && change.input).toEqual({
      file_path: "/a",
      edits: [
        {
          ...edits[0],
          old: `${prose(900).slice(0, 200)}[... 700 characters cut; recall #e3]`,
        },
        edits[1],
      ],
    });
  });

  test("says that images are gone, beside the text or alone", () => {
    const one = new Builder();
    one.add({ type: "user", content: [say("Look."), picture, picture] });
    one.add({ type: "user", content: [picture] });
    expect(texts(cutFor(one, 99_000))).toEqual([
      "Look.\n[2 images removed; recall #e2]",
      "[1 image removed; recall #e3]",
    ]);
  });
});
