import { expect, test } from "bun:test";
import { drawFrame, fitHint } from "../../../src/ui/panels/panel.ts";
import { themeOf } from "../../../src/ui/theme.ts";

test("a hint that is too long keeps its first keys and the one that closes", () => {
  const hint = "Enter open · Tab all folders · type to search · Esc close";
  expect(fitHint(hint, 80)).toBe(hint);
  expect(fitHint(hint, 45)).toBe("Enter open · Tab all folders · Esc close");
  expect(fitHint(hint, 25)).toBe("Enter open · Esc close");
  expect(fitHint(hint, 12)).toBe("Esc close");
  expect(fitHint(hint, 5)).toBe("Esc …");
});

test("the rule beside a title of wide characters fills the line", () => {
  const [rule = ""] = drawFrame({ title: "漢字", hint: "", lines: [] }, 20, themeOf("none"));
  expect(Bun.stripANSI(rule)).toBe("── 漢字 ────────────");
});
