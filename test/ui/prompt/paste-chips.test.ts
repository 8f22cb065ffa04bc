import { expect, test } from "bun:test";
import { foldPaste } from "../../../src/ui/prompt/paste-chips.ts";

test("the break after the last line of a paste does not count as a line", async () => {
  const { words } = await foldPaste("a line\n".repeat(5_000), async () => null);
  expect(words).toMatch(/^\[Pasted #\d+, 5,000 lines\]$/);
});
