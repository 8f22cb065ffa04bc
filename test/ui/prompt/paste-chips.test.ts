import { expect, test } from "bun:test";
import { foldPaste, toggleFold } from "../../../src/ui/prompt/paste-chips.ts";

test("the break after the last line of a paste does not count as a line", async () => {
  const { words } = await foldPaste("a line\n".repeat(5_000), async () => null);
  expect(words).toMatch(/^\[Pasted #\d+, 5,000 lines\]$/);
});

test("F5 shows a folded paste, and folds it again", () => {
  const text = "x".repeat(900);
  const chips = [{ kind: "text" as const, label: "[Pasted]", text }];
  expect(toggleFold("see [Pasted] here", chips)).toBe(`see ${text} here`);
  expect(toggleFold(`see ${text} here`, chips)).toBe("see [Pasted] here");
});
