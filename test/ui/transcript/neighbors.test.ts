import { expect, test } from "bun:test";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import { Builder, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

/** The lines, of which those of the selected item begin with a mark. */
const marked = (on: Stage): string[] => on.transcript(80, 30);

const shown = (on: Stage): string[] =>
  marked(on)
    .map((line) => line.replace("▌", "").trim().replace(/ {2,}/g, "  "))
    .filter((line) => line !== "");

function reads(count: number): Builder {
  const built = new Builder();
  built.user("Read them.");
  for (let n = 1; n <= count; n++) built.step(`c${n}`, `one\ntwo of ${n}`);
  return built;
}

test("at most 20 calls share a row", () => {
  const rows = shown(stage(reads(21))).filter((line) => line.startsWith("● Read"));
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain("Read /w/c21.ts");
});

test("a search that is cancelled folds again what it unfolded", async () => {
  const built = new Builder();
  built.user("look");
  built.step("b", `made\n${"row\n".repeat(20)}needle\n${"row\n".repeat(20)}`, { tool: "Bash" });
  const on = stage(built);
  const before = shown(on);
  await on.press("<ctrl+f>", "needle");
  expect(shown(on)).toContain("│ needle");
  await on.press("<escape>");
  expect(shown(on)).toEqual(before);
});

test("skipped items cannot be selected; opening one shows them all, and closing it folds them again", async () => {
  const on = stage(reads(3));
  shown(on);
  const chosen = (): string =>
    marked(on)
      .filter((line) => line.startsWith("▌"))
      .join("");
  await on.press("<ctrl+o>", "k");
  expect(chosen()).toContain("❯ Read them.");
  await on.press("j");
  expect(chosen()).toContain("● Read c1.ts");
  await on.press("<enter>");
  expect(shown(on).filter((line) => line.startsWith("● Read"))).toHaveLength(3);
  expect(shown(on)).toContain("│ two of 1");
  await on.press("<enter>");
  expect(shown(on)).toContain("● Read c1.ts, c2.ts, c3.ts  6 lines");
});

test("a read that failed or was removed has a row of its own", () => {
  const failed = reads(2);
  failed.step("c3", "no such file", { isError: true });
  expect(shown(stage(failed))).toContain("✗ Read /w/c3.ts  failed · 1.0 s");
  const cut = reads(3);
  cut.cut([{ kind: "replace", entry: "e4", text: "gone" }]);
  expect(shown(stage(cut)).filter((line) => line.startsWith("● Read"))).toHaveLength(3);
});

test("a search unfolds what it finds", async () => {
  const on = stage(reads(3));
  shown(on);
  await on.press("<ctrl+f>", "two of 3", "<enter>");
  expect(shown(on)).toContain("│ two of 3");
});

test("a long message of the user shows its first five lines and its last three, and Enter opens it", async () => {
  const message = (count: number): Builder => {
    const built = new Builder();
    built.user(Array.from({ length: count }, (_, n) => `row ${n + 1}`).join("\n"));
    return built;
  };
  expect(shown(stage(message(16)))).toContain("row 8");
  const on = stage(message(17));
  expect(shown(on).slice(-5)).toEqual(["row 5", "… 9 more lines", "row 15", "row 16", "row 17"]);
  await on.press("<ctrl+o>", "<enter>");
  expect(shown(on)).toContain("row 8");
});

/** A build, before what `answer` says of it. */
function build(answer: string): Builder {
  const built = new Builder();
  built.user("build it");
  built.step("b", "made\nall of it", { tool: "Bash" });
  built.answer([say(answer)]);
  return built;
}

test("a key opens the newest call, also below other rows that open, without a mode, and folds it again", async () => {
  const built = build("Built.");
  built.add(contextFact("mode", "plan", "Permission mode: plan"));
  const on = stage(built);
  expect(shown(on)).not.toContain("│ all of it");
  await on.press("<alt+o>");
  expect(shown(on)).toContain("│ all of it");
  await on.press("x");
  expect(on.prompt()).toBe("x");
  await on.press("<f10>");
  expect(shown(on)).not.toContain("│ all of it");
});

test("an opened item scrolls into view: all of it, or its beginning", async () => {
  const built = new Builder();
  built.user("look");
  for (let n = 0; n < 12; n++) {
    built.step(`r${n}`, "before");
    built.answer([say(`Looked at ${n}.`)]);
  }
  built.step("b", Array.from({ length: 10 }, (_, n) => `row ${n}`).join("\n"), { tool: "Bash" });
  const on = stage(built);
  const visible = (): string => on.transcript(80, 20).join("\n");
  visible();
  await on.press("<ctrl+o>");
  visible();
  await on.press("<enter>");
  expect(visible()).toContain("row 0");
  expect(visible()).toContain("row 9");
  await on.press("<enter>");
  expect(visible()).toContain("● Bash");
  expect(visible()).not.toContain("row 0");
});

test("the newest call scrolls into view when a key opens it, however far above", async () => {
  const on = stage(build("Much later.\n\n".repeat(40)));
  expect(shown(on).join("\n")).not.toContain("● Bash");
  await on.press("<alt+o>");
  expect(shown(on)).toContain("│ all of it");
});

test("keys jump from message to message and to a compaction, with which selecting then begins", async () => {
  const built = new Builder();
  for (let n = 0; n < 8; n++) {
    built.user(`Question ${n}`);
    const { id } = built.step(`c${n}`, "one\ntwo");
    built.answer([say(`Answer.\n\n${"row\n\n".repeat(12)}`)]);
    if (n === 3) built.cut([{ kind: "replace", entry: id, text: "gone" }]);
  }
  const on = stage(built);
  shown(on);
  for (const [keys, top] of [
    ["<alt+up>", "❯ Question 7"],
    ["<alt+up>", "❯ Question 6"],
    ["<alt+down>", "❯ Question 7"],
    ["<ctrl+home>", "❯ Question 0"],
    ["<alt+up>", "❯ Question 0"],
    ["<alt+pagedown>", "── ▸ "],
    ["<ctrl+end> <alt+pageup>", "── ▸ "],
  ] as const) {
    await on.press(...keys.split(" "));
    expect(marked(on).join("\n")).toStartWith(`\n${top}`);
  }
  await on.press("<ctrl+o>");
  expect(marked(on).join("\n")).toContain("▌── ▸ ");
});
