import { expect, test } from "bun:test";
import type { Change } from "../../../src/protocol/entry.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** The line of a cut of one result, on a screen of so many columns. */
function lineAt(columns: number): string {
  const built = new Builder();
  const result = built.step("c1", "text ".repeat(400));
  built.cut([{ kind: "replace", entry: result.id, text: "[cleared]" }], "microcompact");
  return (
    stage(built)
      .transcript(columns)
      .find((text) => text.includes("▸ 1 old result")) ?? ""
  );
}

test("a cut takes one line, which in little room says how it is undone, not how much it freed", () => {
  expect(lineAt(120)).toMatch(/ tokens \(.+ freed\), \$0 · .* \/undo-compact ──$/);
  expect(lineAt(70)).not.toContain("freed");
  expect(lineAt(70)).toMatch(/ \/undo-compact ──$/);
  for (const columns of [60, 40, 20])
    expect(Bun.stringWidth(lineAt(columns))).toBeLessThanOrEqual(columns);
});

test("a cut of several tiers names what each did, each entry has its own badge, with its price where it costs nothing", () => {
  const built = new Builder();
  const [large, old] = [built.step("c1", "text ".repeat(400)), built.step("c2", "text")];
  const changes: Change[] = [
    { kind: "replace", entry: large.id, text: "[trimmed]", tier: "budget" },
    { kind: "replace", entry: old.id, text: "[cleared]" },
  ];
  const price = { usedBefore: 900, usedAfter: 100, cachedBroken: 0, usd: 0, breakEvenCalls: 0 };
  built.cut(changes, "microcompact", price);
  const shown = stage(built).transcript(120).join("\n");
  expect(shown).toContain("1 large result trimmed, 1 old result cleared · ");
  expect(shown).toContain("(800 freed), $0 · ");
  expect(shown.indexOf("[trimmed")).toBeGreaterThan(-1);
  expect(shown.indexOf("[cleared")).toBeGreaterThan(shown.indexOf("[trimmed"));
});

test("an opened summary ends with its text", async () => {
  const built = new Builder();
  built.turn("hello", "Hi.");
  built.cover("e2", "e3", "What happened before.\n\n");
  const on = stage(built);
  await on.press("<ctrl+o>", "<enter>");
  expect(on.transcript().at(-1)).toEndWith("What happened before.");
});

test.each([
  [999, "999"],
  [1_000, "1.0k"],
  [99_900, "99.9k"],
  [100_000, "100k"],
  [999_000, "999k"],
  [1_000_000, "1.00M"],
])("%d tokens are shown as %s", (tokens, words) => {
  const built = new Builder();
  const result = built.step("c1", "text");
  const price = { usedBefore: tokens, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  built.cut([{ kind: "replace", entry: result.id, text: "[cleared]" }], "microcompact", price);
  expect(stage(built).transcript(120).at(-1)).toContain(`${words} → ~0 tokens (${words} freed)`);
});
