import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import { neededReads } from "../../../src/context/tiers/protect.ts";
import type { View } from "../../../src/context/types.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry, Fact, FileStamp } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules as smallRules } from "../build.ts";

/** Results that show or write files, each with its call. */
function view(stamps: readonly (FileStamp & { chars?: number })[]) {
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const path: Entry[] = [];
  const add = (id: string, fact: Fact): void =>
    void path.push({ id, parent: path.at(-1)?.id ?? null, at: "2026-01-01T00:00:00Z", ...fact });
  for (const [index, { chars = 5_000, ...stamp }] of stamps.entries()) {
    const id = `u${index}`;
    const input = { file_path: stamp.path };
    add(`a${index}`, {
      type: "assistant",
      content: [{ type: "tool_use", id, name: "Read", input }],
      model: "m",
      usage,
      stop: "tool_use",
      sentAt: "2026-01-01T00:00:00Z",
    });
    const text = "x".repeat(chars);
    add(`r${index}`, {
      type: "result",
      toolUse: id,
      tool: "Read",
      content: [{ type: "text", text }],
      bytes: chars,
      lines: 1,
      stamps: [stamp],
    });
  }
  return project(path);
}

const rules = { ...smallRules, windowTokens: 200_000 };

const read = (path: string, lines?: [number, number], chars = 5_000) =>
  ({ path, does: "read", hash: "", bytes: 0, chars, ...(lines ? { lines } : {}) }) as const;
const write = (path: string) => ({ path, does: "write", hash: "", bytes: 0, chars: 50 }) as const;
const others = (count: number) => Array.from({ length: count }, (_, index) => read(`/o${index}`));
const long = 20_000;

const useful = (of: View, balance: Policy["balance"] = "balanced") =>
  neededReads({ view: of, policy: { ...defaultPolicy, balance }, rules });
const usefulReads = (stamps: Parameters<typeof view>[0]) => [...useful(view(stamps))].sort();

test("the newest whole read of a file is kept; earlier ones are stale", () => {
  const stamps = [read("/a"), read("/a", [1, 9]), read("/a"), read("/a", [5, 9])];
  expect(usefulReads(stamps)).toEqual(["r2", "r3"]);
});

test("a short read of an edited file is kept longer than one of a file that was only read", () => {
  const short = 2_000;
  const stamps = [
    read("/edited", undefined, short),
    write("/edited"),
    read("/seen", undefined, short),
  ];
  expect(usefulReads([...stamps, ...others(4)])).toContain("r0");
  expect(usefulReads([...stamps, ...others(4)])).toContain("r2");
  expect(usefulReads([...stamps, ...others(60)])).toContain("r0");
  expect(usefulReads([...stamps, ...others(60)])).not.toContain("r2");
});

test("the longer a read is, the sooner it is cleared", () => {
  const stamps = [read("/short", undefined, 2_000), read("/long", undefined, long)];
  expect(usefulReads([...stamps, ...others(2)])).toEqual(expect.arrayContaining(["r0", "r1"]));
  expect(usefulReads([...stamps, ...others(4)])).toContain("r0");
  expect(usefulReads([...stamps, ...others(4)])).not.toContain("r1");
});

test("the balance keeps a read longer or clears it sooner", () => {
  const stamps = [read("/medium"), ...others(11)];
  const keeps = (balance: Policy["balance"]): boolean => useful(view(stamps), balance).has("r0");
  expect([keeps("keep"), keeps("save")]).toEqual([true, false]);
});

test("a file that a shell command prints counts as read in part", () => {
  const session = new Builder();
  for (const command of ["sed -n '1,80p' src/a.ts", "cat src/b.ts | head", "ls src"]) {
    session.answer([call(command, "Bash", { command })]);
    session.result(command, "x".repeat(500), { tool: "Bash" });
  }
  const findCommand = (id: string) =>
    session.path.flatMap((entry) =>
      entry.type === "result" && entry.id === id ? [entry.toolUse] : [],
    );
  expect([...useful(session.view)].flatMap(findCommand)).toEqual([
    "cat src/b.ts | head",
    "sed -n '1,80p' src/a.ts",
  ]);
});

test("of many parts of a file, the newest is kept", () => {
  const parts = [1, 2, 3].map((from) => read("/p", [from, from], 200));
  expect(usefulReads(parts)).toEqual(["r2"]);
});

/** Characters of a result in addition to its text. */
const frame = 30;

test.each([
  ["read", 4_000, 5],
  ["read", 4_001, 2],
  ["read", 10_001, 2],
  ["edited", 4_000, 100],
  ["edited", 4_001, 10],
  ["edited", 10_000, 10],
  ["edited", 10_001, 2],
] as const)("a %s file of %d characters is kept for %d calls", (how, chars, calls) => {
  const file = { ...read("/a"), chars: chars - frame };
  const stamps = how === "read" ? [file] : [write("/a"), file];
  const isKept = (since: number): boolean =>
    useful(view([...stamps, ...others(since)])).has(how === "read" ? "r0" : "r1");
  expect([isKept(calls), isKept(calls + 1)]).toEqual([true, false]);
});

test("a larger window keeps readings longer", () => {
  const isKept = (windowTokens: number, since: number): boolean =>
    neededReads({
      view: view([write("/a"), read("/a"), ...others(since)]),
      policy: defaultPolicy,
      rules: { ...rules, windowTokens },
    }).has("r1");
  expect([isKept(60_000, 1), isKept(60_000, 2)]).toEqual([true, false]);
  expect([isKept(1_000_000, 111), isKept(1_000_000, 112)]).toEqual([true, false]);
});

test("nothing is needed under the bare thresholds", () => {
  expect(
    neededReads({ view: view([read("/a")]), policy: { ...defaultPolicy, ...bareRules }, rules })
      .size,
  ).toBe(0);
});
