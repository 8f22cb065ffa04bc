import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** The line of a cut of one result, on a screen of so many columns. */
function lineAt(columns: number): string {
  const built = new Builder();
  const result = built.step("c1", "text ".repeat(400));
  built.cut([{ kind: "replace", entry: result.id, text: "[cleared]" }], "microcompact");
  const on = stage(built);
  const { lines } = on.controller.transcript.frame(columns, 20).visible;
  on.end();
  return Bun.stripANSI(lines.find(({ text }) => text.includes("▸ 1 old result"))?.text ?? "");
}

test("a cut in little room says how it is undone, not how much it freed", () => {
  expect(lineAt(120)).toMatch(/ tokens \(.+ freed\), .* \/undo-compact ──$/);
  expect(lineAt(80)).not.toContain("freed");
  expect(lineAt(80)).toMatch(/ \/undo-compact ──$/);
});

test.each([60, 40, 20])("at %d columns a cut takes one line", (columns) => {
  expect(Bun.stringWidth(lineAt(columns))).toBeLessThanOrEqual(columns);
});
