import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("each balance with its cost on this session, the current one marked", async () => {
  const kept = { changes: 0.984, files: 1, names: 0.97 };
  const session = new Builder();
  session.user("Hello");
  session.answer([{ type: "text", text: "Hello." }]);
  const on = stage(session, {
    panel: { kind: "balance" },
    rows: 20,
    services: {
      balances: async () => [
        { balance: "keep", usd: 1.4, summaries: 0, ...kept },
        { balance: "balanced", usd: 1.2, summaries: 1, ...kept },
        { balance: "save", usd: 0.9, summaries: 12, ...kept },
      ],
    },
  });
  await on.drawn();
  expect(on.frame()).toMatch(
    /keep +\$1\.40 +98 % +100 % +97 % +0\n.*● balanced +\$1\.20.* 1\n.*save/,
  );
});

test("a session without a call has nothing to compare", async () => {
  const on = stage(new Builder(), { panel: { kind: "balance" } });
  await on.drawn();
  expect(on.frame()).toContain("No model calls yet: nothing to compare.");
});
