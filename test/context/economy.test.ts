import { expect, test } from "bun:test";
import { usefulReads } from "../../src/context/keep.ts";
import { project } from "../../src/context/view.ts";
import type { Entry, Fact, FileStamp } from "../../src/protocol/entry.ts";

/** Results that show or write files, each with its call. */
function view(stamps: readonly (FileStamp & { chars?: number })[]) {
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const path: Entry[] = [];
  const add = (id: string, fact: Fact): void =>
    void path.push({ id, parent: path.at(-1)?.id ?? null, at: "2026-01-01T00:00:00Z", ...fact });
  for (const [index, { chars = 5_000, ...stamp }] of stamps.entries()) {
    const id = `u${index}`;
    const input = { path: stamp.path };
    add(`a${index}`, {
      type: "assistant",
      content: [{ type: "tool_use", id, name: "read_file", input }],
      model: "m",
      usage,
      stop: "tool_use",
      sentAt: "2026-01-01T00:00:00Z",
    });
    const text = "x".repeat(chars);
    add(`r${index}`, {
      type: "result",
      toolUse: id,
      tool: "read_file",
      content: [{ type: "text", text }],
      bytes: chars,
      lines: 1,
      stamps: [stamp],
    });
  }
  return project(path);
}

const read = (path: string, lines?: [number, number], chars = 5_000) =>
  ({ path, does: "read", hash: "", bytes: 0, chars, ...(lines ? { lines } : {}) }) as const;
const write = (path: string) => ({ path, does: "write", hash: "", bytes: 0, chars: 50 }) as const;
const others = (count: number) => Array.from({ length: count }, (_, index) => read(`/o${index}`));

test("the newest whole read of a file stays, what lies before it is stale", () => {
  const useful = usefulReads(
    view([read("/a"), read("/a", [1, 9]), read("/a"), read("/a", [5, 9])]),
  );
  expect([...useful].sort()).toEqual(["r2", "r3"]);
});

test("a file that was edited stays readable, one that was only read once gives way to newer ones", () => {
  const useful = usefulReads(
    view([read("/edited"), write("/edited"), read("/seen"), ...others(9)]),
  );
  expect(useful.has("r0")).toBe(true);
  expect(useful.has("r2")).toBe(false);
});

test("short parts cost little and stay; of many, the newest three", () => {
  const parts = [1, 2, 3, 4].map((from) => read("/p", [from, from], 200));
  const useful = usefulReads(view([...parts, ...others(9)]));
  expect(["r0", "r1", "r2", "r3"].map((id) => useful.has(id))).toEqual([false, true, true, true]);
});
