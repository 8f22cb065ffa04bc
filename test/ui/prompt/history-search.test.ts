import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

const prompts = ["fix the parser", "run the tests", "explain the parser", "run the tests"];

const open = (): Stage => stage(new Builder(), { services: { loadHistory: async () => prompts } });

/** The rows between the transcript and the prompt. */
function offered(on: Stage): string {
  const rows = on.rows(84, 20).map((row) => Bun.stripANSI(row).replace(/^ {2}/, "").trimEnd());
  const above = rows.slice(
    0,
    rows.findIndex((row) => row.startsWith("──")),
  );
  return above.slice(above.lastIndexOf("") + 1).join("\n");
}

test("Ctrl-R lists earlier prompts and narrows them as you type", async () => {
  const on = open();
  await on.press("<ctrl+r>");
  expect(offered(on)).toContain("1 of 3");
  await on.press("pars");
  expect(offered(on)).toContain("1 of 2");
  expect(offered(on)).not.toContain("run the tests");
  await on.press("<ctrl+r>", "<ctrl+r>");
  expect(offered(on)).toContain("2 of 2");
  await on.press("<enter>");
  expect(on.prompt()).toBe("fix the parser");
  expect(on.sent).toEqual([]);
  await on.press("<enter>");
  expect(on.sent).toMatchObject([{ type: "prompt" }]);
});

test("a search without a match stays open, and what was typed stays in the prompt", async () => {
  const on = open();
  await on.press("<ctrl+r>", "xyz");
  expect(offered(on)).toContain("No earlier prompt contains this");
  await on.press("<backspace>", "<backspace>", "<backspace>", "tests");
  expect(offered(on)).toContain("1 of 1");
  await on.press("<escape>");
  expect(offered(on)).toBe("");
  expect(on.prompt()).toBe("tests");
});

test("a prompt can be sent although no earlier one matches", async () => {
  const on = open();
  await on.press("<ctrl+r>", "something new", "<enter>");
  expect(on.sent).toMatchObject([{ content: [{ text: "something new" }] }]);
  expect(offered(on)).toBe("");
});
