import { expect, test } from "bun:test";
import { toolLines } from "../../src/base/tool-lines.ts";

test("lines about tools that are missing, or that are there, are left out", () => {
  const text = "all\nedits <!-- Edit|Write -->\nshell <!-- Bash -->\nno shell <!-- not Bash -->";
  const kept = (...names: string[]) => toolLines(text, new Set(names));
  expect(kept("Write", "Bash")).toEqual(["all", "edits", "shell"]);
  expect(kept()).toEqual(["all", "no shell"]);
});
