/** What a session would have cost with each balance. */

import { expect, test } from "bun:test";
import { compareBalances } from "../../../src/commands/replay/compare-balances.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../../context/build.ts";
import { prose } from "../../context/sessions.ts";

test("keeping more costs more, and has more of what later calls needed in view", async () => {
  const session = new Builder();
  for (let turn = 0; turn < 12; turn++) {
    session.user(`Part ${turn}.`);
    for (let n = 0; n < 4; n++) session.step(`c${turn}-${n}`, prose(9_000));
    session.answer([say("Done.")]);
    session.wait(turn % 4 === 3 ? 10 * 60_000 : 5_000);
  }
  const model = { ...rules, windowTokens: 200_000 };
  const [keep, balanced, save] = await compareBalances(session.path, model, defaultPolicy);
  expect([keep, balanced, save].map((one) => one?.balance)).toEqual(["keep", "balanced", "save"]);
  if (!keep || !balanced || !save) return;
  expect(keep.usd).toBeGreaterThan(balanced.usd);
  expect(balanced.usd).toBeGreaterThan(save.usd);
  for (const share of ["changes", "files", "names"] as const)
    expect(keep[share]).toBeGreaterThanOrEqual(save[share]);
});

test("a change whose old text was just read has it in view", async () => {
  const session = new Builder();
  session.user("Change it.");
  session.step("r", "first line\nthe old text\n");
  const input = { file_path: "/w/a.ts", old_string: "the old text", new_string: "the new text" };
  session.answer([{ type: "tool_use", id: "e", name: "Edit", input }]);
  session.result("e", "Changed.", { tool: "Edit" });
  session.answer([say("Done.")]);
  for (const { changes } of await compareBalances(session.path, rules, defaultPolicy))
    expect(changes).toBe(1);
});
