import { describe, expect, test } from "bun:test";
import { Builder, call, say } from "../../context/build.ts";
import { exploring } from "../../context/meter/exploring.ts";
import { stage, type Stage } from "../stage.ts";

/** Three turns: a large read, a small one, a command. */
function session(): Builder {
  const built = new Builder();
  built.user("Read the red file.");
  built.step("c1", "red ".repeat(6_000));
  built.answer([say("It is red.")]);
  built.user("And the blue one?");
  built.step("c2", "blue ".repeat(400));
  built.answer([call("c3", "Bash", { command: "ls -l harbour" })]);
  built.result("c3", "ship ".repeat(300), { tool: "Bash" });
  built.answer([say("Blue, and ships.")]);
  built.turn("Thanks.", "You are welcome.");
  return built;
}

const open = (built: Builder, columns = 90, rows = 20): Stage =>
  stage(built, { panel: { kind: "items" }, columns, rows });

/** The titles of the items in a frame, from the top. */
const readTitles = (frame: string): string[] =>
  frame.split("\n").flatMap((line) => /(?:Read|Bash|you:|answer:|calls) .*/.exec(line) ?? []);

test.each([
  [59_000, "59s"],
  [60_000, "1m"],
  [3_600_000, "1h"],
  [48 * 3_600_000, "2d"],
  [-5_000, "0s"],
])("%d ms is %s", (ms, shown) => {
  const built = session();
  const newest = Date.parse(built.path.at(-1)?.at ?? "");
  const { frame } = stage(built, { panel: { kind: "items" }, nowMs: newest + ms, columns: 90 });
  expect(frame()).toMatch(new RegExp(` ${shown} {2}answer +You are welcome`));
});

test.each([
  ["size", "", "Read /w/c1.ts"],
  ["age", "", "Read the red file."],
  ["size", "harbour bash", "Bash ls -l harbour"],
  ["size", "RESULT", "Read /w/c1.ts"],
  ["age", "#e7", "calls Read"],
  ["size", "nothing at all", "No matches."],
] as const)("by %s, with “%s”, the first is %s", async (order, filter, first) => {
  const { press, frame } = open(session());
  while (!frame().includes(` by ${order}, `)) await press("o");
  await press(`/${filter}`, "<enter>");
  expect(readTitles(frame())[0] ?? frame()).toContain(first);
});

test("calls are named as people say them", () => {
  const built = session();
  built.answer([call("t1", "TodoWrite", { todos: [] }), call("b1", "Bash", {})]);
  expect(open(built).frame()).toContain("calls Todo, Bash");
});

describe("keys", () => {
  test("drop the selected results in one cut, and no messages", async () => {
    const { press, sent } = open(session());
    await press("o", "a", "d");
    const changes = Array(3).fill({ kind: "replace" });
    expect(sent).toMatchObject([{ type: "cut", changes, reason: "3 items dropped by hand" }]);
  });

  test("select with Space, and say that nothing is unused", async () => {
    const { press, sent, message } = open(session());
    await press("D");
    expect(message()).toBe("Nothing is unused for 10 calls or more.");
    await press(" ", "<up>", " ", " ", "d");
    expect(sent).toMatchObject([{ type: "cut", changes: [{ entry: "e8" }] }]);
  });

  test("pin all of a mixed selection, and drop no pinned item", async () => {
    const built = session();
    built.add({ type: "pin", entry: "e4", on: true });
    const { press, sent, store, frame } = open(built);
    await press("d");
    expect(frame()).toContain("pinned");
    expect(sent).toEqual([]);
    await press("/", "result", "<enter>", "a", "p");
    expect(sent).toEqual([
      { type: "pin", entry: "e8", on: true },
      { type: "pin", entry: "e10", on: true },
    ]);
    expect(store.view.rows.find(({ entry }) => entry.id === "e4")?.pinned).toBe(true);
  });

  test("restore replaced items in place, and copies of covered ones at the end", async () => {
    const restoredIn = async (built: Builder) => {
      const { press, sent } = open(built);
      await press("/", "#e4", "<enter>", "r");
      return sent;
    };
    const replaced = session();
    const { id: cut } = replaced.cut([{ kind: "replace", entry: "e4", text: "[gone]" }]);
    expect(await restoredIn(replaced)).toEqual([{ type: "restore", cut, entry: "e4" }]);
    const covered = session();
    covered.cover("e2", "e5");
    expect(await restoredIn(covered)).toEqual([{ type: "recall", entry: "e4" }]);
  });

  test("summarize up to the item, or from it", async () => {
    const { press, sent } = open(session());
    await press("/", "#e5", "<enter>", "s", "S");
    expect(sent).toEqual([
      { type: "summarize", to: "e5" },
      { type: "summarize", from: "e5" },
    ]);
  });

  test.each([
    ["reads the item", async () => ["whole"], "whole"],
    ["says why it cannot be read", () => Promise.reject(new Error("It is gone.")), "It is gone."],
  ])("Enter %s, and Esc returns to the list", async (_, read, shown) => {
    const services = { openOriginal: async () => ({ lines: 1, bytes: 5, read }) };
    const { press, frame } = stage(exploring(), { panel: { kind: "items" }, services });
    await press("<enter>");
    expect(frame()).toContain(shown);
    await press("<escape>");
    expect(frame()).toContain("Items: ");
  });

  test("a long item shows its last lines until the next page is read", async () => {
    const read = Promise.withResolvers<void>();
    const { press, frame, settle } = stage(exploring(), {
      panel: { kind: "items" },
      services: {
        openOriginal: async () => ({
          lines: 5_000,
          bytes: 5,
          async read(from, to) {
            if (from > 0) await read.promise;
            return Array.from({ length: to - from }, (_, at) => `line ${from + at}`);
          },
        }),
      },
    });
    await press("<enter>");
    const lines = frame().split("\n").length;
    await press("<end>");
    expect(frame()).toContain("line 3\n");
    expect(frame().split("\n")).toHaveLength(lines);
    read.resolve();
    await settle();
    expect(frame()).toContain("line 4999\n");
  });

  test("Tab opens the next view, also while an item is read or a filter typed", async () => {
    for (const before of ["<enter>", "/"]) {
      const { press, frame } = open(session());
      await press(before, "<tab>");
      expect(frame()).toContain("Rules");
      expect(frame()).not.toContain("Items: ");
    }
  });

  test("filter, also when Enter arrives in the same read; Esc clears the filter", async () => {
    const { press, frame } = open(session());
    await press("/harbour\r");
    expect(frame()).toContain("1 of 12 by size");
    await press("/", "<escape>");
    expect(frame()).toContain("Items: 12 by size");
  });

  test("keep the chosen line in a panel that is never too high", async () => {
    const { press, frame } = open(session(), 60, 9);
    await press("<end>");
    expect(frame().split("\n").length).toBeLessThanOrEqual(9);
    const last = readTitles(frame()).at(-1);
    await press("<home>");
    expect(readTitles(frame())).not.toContain(last);
  });
});
