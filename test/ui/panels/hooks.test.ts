import { expect, test } from "bun:test";
import { Builder, noPrice } from "../../context/build.ts";
import { stage } from "../stage.ts";

test("/hooks lists hooks and tiers in order, with what they did last", async () => {
  const tiers = ["budget", "summary"] as const;
  const built = new Builder();
  built.cut([], "budget", { ...noPrice, usedBefore: 3_000, usedAfter: 1_000 });
  const on = stage(built, {
    rows: 24,
    services: {
      hooks: async () => [
        { event: "TurnStart", matcher: "", source: "built-in", name: "compact", last: null, tiers },
        {
          event: "PreToolUse",
          matcher: "Bash",
          source: "/s",
          name: "./a.sh",
          last: "blocked: \u001b[2Jno",
        },
        { event: "PreToolUse", matcher: "", source: "/s", name: "./b.sh", last: null },
      ],
    },
  });
  await on.press("/hooks", "<enter>");
  await on.settle();
  expect(on.frame()).toContain(
    [
      "TurnStart",
      "  compact  built-in",
      "    budget        a test; freed 2.0k tokens",
      "    summary       has not compacted anything yet",
      "PreToolUse",
      "  Bash: ./a.sh  /s",
      "    blocked: no",
      "  ./b.sh  /s",
      "    has not run yet",
    ].join("\n"),
  );
});
