/** What of a file stands beside a summary. */

import { expect, test } from "bun:test";
import { economyTuning } from "../../../src/context/economy-tuning.ts";
import { excerpt, editHistoryOf } from "../../../src/context/summary/excerpt.ts";
import { calls, gives, reads, stamp, user, viewOf } from "./say.ts";

const lines = Array.from({ length: 900 }, (_, index) => `const line${index} = ${index};`);
const whole = lines.join("\n");
const largeChars = 1e6;
const economy = { policy: "economy" } as const;
const pace = economyTuning(200_000);

const edits = (id: string, text: string) => [
  calls(id, "edit_file", { path: "/a.ts", old_text: "gone", new_text: text }),
  gives(id, "edit_file", "changed", { stamps: [stamp("/a.ts", "write")] }),
];
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => reads(`o${index}`, `/o${index}`, "x")).flat();

test("a file in work comes whole", () => {
  const work = editHistoryOf(viewOf(user("a"), ...reads("t", "/a.ts", whole)));
  const shown = excerpt("/a.ts", whole, largeChars, work, economy, pace);
  expect(shown).toEqual({ text: whole, isPart: false });
});

test("one that was left for a while gives the places where it was edited, and nothing else", () => {
  const work = editHistoryOf(
    viewOf(user("a"), ...edits("t", "const line500 = 500;"), ...others(100)),
  );
  const shown = excerpt("/a.ts", whole, largeChars, work, economy, pace);
  expect(shown?.isPart).toBe(true);
  expect(shown?.text.split("\n")[0]).toBe("... line 496:");
  expect(shown?.text).toContain("const line500 = 500;");
  expect(shown?.text).toContain("const line505 = 505;");
  expect(shown?.text).not.toContain("const line506 = 506;");
});

test("one that was only read, and long ago, gives nothing", () => {
  const work = editHistoryOf(viewOf(user("a"), ...reads("t", "/a.ts", whole), ...others(100)));
  expect(excerpt("/a.ts", whole, largeChars, work, economy, pace)).toBeNull();
  const byTable = excerpt("/a.ts", whole, largeChars, work, { policy: "thresholds" }, pace);
  expect(byTable).toEqual({ text: whole, isPart: false });
});

test("a large one gives its outline, and by economy the edited places too", () => {
  const work = editHistoryOf(viewOf(user("a"), ...edits("t", "const line500 = 500;")));
  const table = excerpt("/a.ts", whole, 5_000, work, { policy: "thresholds" }, pace);
  expect(table?.text.split("\n")[0]).toBe("1: const line0 = 0;");
  expect(table?.text).not.toContain("line500");
  const shown = excerpt("/a.ts", whole, 5_000, work, economy, pace);
  expect(shown?.text).toContain("1: const line0 = 0;");
  expect(shown?.text).toContain("const line500 = 500;");
});
