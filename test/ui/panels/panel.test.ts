import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

test.each([
  [80, "Enter open · Tab all folders · Esc close"],
  [35, "Enter open · Esc close"],
  [20, "Esc close"],
])("the keys in %d columns: the first of them, and the one that closes", (columns, keys) => {
  const { frame } = stage(new Builder(), { panel: { kind: "sessions" }, columns });
  expect(frame().split("\n").at(-1)).toBe(keys);
});
