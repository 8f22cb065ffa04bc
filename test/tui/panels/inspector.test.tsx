import { describe, expect, test } from "bun:test";
import { Inspector } from "../../../src/tui/panels/inspector.tsx";
import { arrange, inspectItems } from "../../../src/tui/panels/inspect-items.ts";
import { showAge } from "../../../src/tui/panels/age.ts";
import { layoutItem } from "../../../src/tui/panels/inspect-lines.ts";
import { Builder, call, rules } from "../../context/build.ts";
import { stage, type Stage } from "./stage.tsx";

/** Three turns: a large read, a small one, a command. */
function session(): Builder {
  const built = new Builder();
  built.user("Read the red file.");
  built.step("c1", "red ".repeat(6_000));
  built.answer([{ type: "text", text: "It is red." }]);
  built.user("And the blue one?");
  built.step("c2", "blue ".repeat(400));
  built.answer([call("c3", "Bash", { command: "ls -l harbour" })]);
  built.result("c3", "ship ".repeat(300), { tool: "Bash" });
  built.answer([{ type: "text", text: "Blue, and ships." }]);
  built.user("Thanks.");
  built.answer([{ type: "text", text: "You are welcome." }]);
  return built;
}

const open = (built: Builder, columns = 90, rows = 20): Stage =>
  stage(built, (props) => <Inspector {...props} />, { columns, rows });

const idsOf = (frame: string): string[] =>
  [...frame.matchAll(/#(e\d+) /g)].map(([, id = ""]) => id);

describe("items", () => {
  const built = session();
  const items = inspectItems(built.view, rules);

  test("are everything that is sent, in the order in which it came", () => {
    expect(items.map(({ kind }) => kind)).toEqual([
      "you",
      "answer",
      "result",
      "answer",
      "you",
      "answer",
      "result",
      "answer",
      "result",
      "answer",
      "you",
      "answer",
    ]);
  });

  test.each([
    ["size", "", ["e4"]],
    ["age", "", ["e2"]],
    ["kind", "", ["e9"]],
    ["size", "harbour bash", ["e10"]],
    ["size", "RESULT", ["e4"]],
    ["age", "#e7", ["e7"]],
    ["age", "nothing at all", []],
  ] as const)("by %s, with “%s”", (order, filter, first) => {
    const found = arrange(items, order, filter);
    expect(found.slice(0, first.length).map(({ row }) => row.entry.id)).toEqual([...first]);
    if (first.length === 0) expect(found).toEqual([]);
  });

  test.each([
    [0, "0s"],
    [59_000, "59s"],
    [5 * 60_000, "5m"],
    [3 * 3_600_000, "3h"],
    [4 * 86_400_000, "4d"],
    [-5, "0s"],
  ])("%d ms is %s", (ms, shown) => {
    expect(showAge(ms)).toBe(shown);
  });

  test.each([120, 80, 60, 40, 20])("a line fits %d columns", (columns) => {
    for (const item of items)
      expect(Bun.stringWidth(layoutItem(item, true, columns, built.nowMs))).toBeLessThanOrEqual(
        columns,
      );
  });
});

describe("keys", () => {
  test("lists the largest first, with the price of dropping it", async () => {
    const { frame, settle, end } = open(session());
    await settle();
    expect(idsOf(frame())[0]).toBe("e4");
    expect(frame()).toMatch(/d drops 1: \d[\d.]*k freed/);
    expect(frame()).toMatch(/s summarises up to here: /);
    end();
  });

  test("drops the chosen results in one cut, and no words", async () => {
    const { press, sent, end } = open(session());
    await press("o", "a", "d");
    expect(sent).toHaveLength(1);
    const [cut] = sent;
    expect(cut?.type === "cut" ? cut.changes.map((change) => change.kind) : []).toEqual([
      "replace",
      "replace",
      "replace",
    ]);
    expect(cut).toMatchObject({ reason: "3 items dropped by hand" });
    end();
  });

  test("pins a mixed choice as a whole, then lets all of it go", async () => {
    const built = session();
    built.add({ type: "pin", entry: "e4", on: true });
    const { press, sent, store, end } = open(built);
    await press("/", "result", "<enter>", "a", "p");
    expect(sent).toEqual([
      { type: "pin", entry: "e8", on: true },
      { type: "pin", entry: "e10", on: true },
    ]);
    expect(store.view.rows.find(({ entry }) => entry.id === "e4")?.pinned).toBe(true);
    end();
  });

  test("what is pinned is not dropped", async () => {
    const built = session();
    built.add({ type: "pin", entry: "e4", on: true });
    const { press, sent, frame, end } = open(built);
    await press("d");
    expect(frame()).toContain("pinned");
    expect(sent).toEqual([]);
    end();
  });

  test("restores what was replaced in place, and brings what is covered back at the end", async () => {
    const replaced = session();
    const cut = replaced.cut([{ kind: "replace", entry: "e4", text: "[gone]" }]);
    const one = open(replaced);
    await one.press("/", "#e4", "<enter>", "r");
    expect(one.sent).toEqual([{ type: "restore", cut: cut.id, entry: "e4" }]);
    one.end();

    const covered = session();
    covered.cover("e2", "e5");
    const two = open(covered);
    await two.press("/", "#e4", "<enter>", "r");
    expect(two.sent).toEqual([{ type: "recall", entry: "e4" }]);
    two.end();
  });

  test("summarises up to the item, or from it", async () => {
    const { press, sent, end } = open(session());
    await press("/", "#e5", "<enter>", "s", "S");
    expect(sent).toEqual([
      { type: "summarise", to: "e5" },
      { type: "summarise", from: "e5" },
    ]);
    end();
  });

  test("a filter typed in one read with its Enter filters, and Esc takes it back", async () => {
    const { press, frame, end } = open(session());
    await press("/harbour\r");
    expect(frame()).toContain("1 of 12 items");
    expect(idsOf(frame())).toEqual(["e10"]);
    await press("/", "<escape>");
    expect(frame()).toContain("Inspector: 12 items");
    end();
  });

  test("is never higher than it may be, and follows the chosen line", async () => {
    const { press, frame, end } = open(session(), 60, 9);
    await press("<end>");
    expect(frame().split("\n").length).toBeLessThanOrEqual(9);
    const last = idsOf(frame()).at(-1);
    await press("<home>");
    expect(idsOf(frame())).not.toContain(last);
    end();
  });
});
