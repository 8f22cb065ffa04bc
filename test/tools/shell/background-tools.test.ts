import { afterAll, expect, test } from "bun:test";
import { matchingLines } from "../../../src/tools/shell/background-tools.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

test("the output of a background command is filtered by lines", async () => {
  const at = await room();
  await at.say("Bash", { command: "echo alpha; echo beta; touch done", run_in_background: true });
  while (!(await Bun.file(`${at.root}/done`).exists())) await Bun.sleep(5);
  const first = await at.say("BashOutput", { bash_id: "bash_1", filter: "^b" });
  expect(first).toEndWith("\nbeta");
  expect(first).not.toContain("alpha\n");
  const next = await at.say("BashOutput", { bash_id: "bash_1", filter: "^b" });
  expect(next).toEndWith("(no new output)");
});

test("an unknown background command is reported, with the known ones", async () => {
  const at = await room();
  expect(await at.say("BashOutput", { bash_id: "bash_7" })).toBe(
    "There is no background command bash_7. Known: none.",
  );
  expect(await at.say("KillShell", { bash_id: "bash_7" })).toContain("Known: none");
});

test.each([
  ["^ab|^c", "abc\ncar"],
  ["^x", ""],
  ["-e", "dash-e"],
  ["(a+)+$", ""],
])("lines that match %s", async (pattern, lines) => {
  const text = `abc\ndash-e\ncar\n${"a".repeat(5_000)}!`;
  const found = await matchingLines(text, pattern);
  expect(
    found
      .split("\n")
      .filter((line) => line.length < 100)
      .join("\n"),
  ).toBe(lines);
});

test("a filter that is not an expression is refused", async () => {
  await expect(matchingLines("a", "(")).rejects.toThrow("not a valid regular expression");
});
