import { expect, test } from "bun:test";
import { fitHint } from "../../../src/ui/panels/panel.ts";

test("a hint that is too long keeps its first keys and the one that closes", () => {
  const hint = "Enter open · Tab all folders · type to search · Esc close";
  expect(fitHint(hint, 80)).toBe(hint);
  expect(fitHint(hint, 45)).toBe("Enter open · Tab all folders · Esc close");
  expect(fitHint(hint, 25)).toBe("Enter open · Esc close");
  expect(fitHint(hint, 12)).toBe("Esc close");
  expect(fitHint(hint, 5)).toBe("Esc …");
});
