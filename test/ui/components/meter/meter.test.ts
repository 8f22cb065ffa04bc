/** The line of the meter, of sessions whose last call filled the window so far. */

import { expect, test } from "bun:test";
import type { BudgetState } from "../../../../src/protocol/budget.ts";
import { defaultPolicy, type Policy } from "../../../../src/protocol/policy.ts";
import { makeTheme } from "../../../../src/ui/theme.ts";
import { Builder, call, say } from "../../../context/build.ts";
import { plainRules } from "../../../model-rules.ts";
import { stage, type Stage } from "../../stage.ts";

/** A window of 200,000 tokens, 20,000 of which are kept for the answer. */
const rules = { ...plainRules, model: "sonnet", caches: true };

const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** A turn of reads, whose results have so many characters. */
function reading(used: number, results = 6, chars = 20_000): Builder {
  const built = new Builder({ model: "sonnet" });
  built.user("Read them.");
  for (let n = 0; n < results; n++) {
    built.answer([call(`c${n}`)], { usage });
    built.result(`c${n}`, "some text ".repeat(chars / 10));
  }
  built.answer([say("Read.")], { usage: { ...usage, cacheRead: used } });
  return built;
}

type Options = Parameters<typeof stage>[1];

const open = (built: Builder, options: Options = {}): Stage =>
  stage(built, { nowMs: built.nowMs, rules, ...options });

const line = (on: Stage, columns = 160): string =>
  Bun.stripANSI(on.rows(columns, 24).at(-1) ?? "").trim();

test("the bar is stacked by what fills the window, and grows with the answer and the output of a tool", async () => {
  const built = new Builder({ model: "sonnet", system: "s".repeat(80_000) });
  built.user("u".repeat(40_000));
  built.answer([say("a".repeat(40_000))], { usage: { ...usage, input: 40_000 } });
  built.step("c", "r".repeat(100_000));
  built.user("More.");
  built.answer([say("Done.")], { usage: { ...usage, input: 80_000 } });
  const on = open(built);
  expect(line(on, 80)).toStartWith("▐███▓▓▌▓▓▓▌░░░░░░░░░░▌  80k of 180k · 44 %");
  await on.tell({ type: "delta", index: 0, kind: "text", text: "w".repeat(100_000) });
  on.wait(1_000);
  expect(line(on, 80)).toStartWith("▐███▓▓███▓▓▓▋░░░░░░░░▌  105k of 180k · 58 %");
  const output = (bytes: number) => ({ type: "progress", toolUse: "t", tail: "", bytes }) as const;
  await on.tell({ type: "phase", phase: "tools" }, output(defaultPolicy.persistBytes));
  expect(line(on, 80)).toContain("  116k of");
  // Larger output is sent as a preview of this size.
  await on.tell(output(1e9));
  expect(line(on, 80)).toContain("  116k of");
});

test("however little of a large window is used, each part is seen, with its color", () => {
  const theme = makeTheme("dark");
  const built = reading(2_000, 2, 100);
  built.cover("e2", built.path.at(-1)?.id ?? "");
  built.user("More.");
  built.step("d", "text");
  built.answer([say("Done.")], { usage: { ...usage, cacheRead: 2_000 } });
  const on = open(built, { theme, rules: { ...rules, windowTokens: 1_000_000 } });
  const row = on.rows(160, 24).at(-1) ?? "";
  const kinds = ["System", "User", "Answers", "Results", "Summary"] as const;
  for (const kind of kinds) expect(row).toContain(theme.paint(`meter${kind}`, "▌"));
  expect(Bun.stripANSI(row)).toContain(`▐${"▌".repeat(5)}░`);
});

test("the bar never shrinks while more is used", () => {
  let before = 0;
  for (let used = 3_000; used < 90_000; used += 1_500) {
    const filled = line(open(reading(used, 2)), 80)
      .slice(1, 21)
      .replace(/[░╎]/g, "").length;
    expect(filled).toBeGreaterThanOrEqual(before);
    before = filled;
  }
});

test("neither the bar nor the facts beside it change with a digit", () => {
  const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  for (const columns of [44, 64, 80, 100, 124, 164, 200]) {
    const shapes = [900, 4_960, 5_040, 9_900, 45_000].map((used) =>
      line(open(reading(used, 0), { rules: { ...rules, prices } }), columns)
        .replace(/[█▓░╎▏▎▍▌▋▊▉]/g, "_")
        .replace(/~?[\d.]+k? of 180k · \d+ %/, "N of 180k")
        .replace(/ {2,}/g, "  "),
    );
    expect(new Set(shapes).size).toBe(1);
  }
});

test("it fits any width; the mode leaves last, in one word, and the cost is there from 80 columns on", async () => {
  const on = open(reading(45_000));
  for (const [mode, word] of [
    ["default", "ask"],
    ["accept-edits", "edits"],
    ["auto", "auto"],
    ["plan", "plan"],
    ["bypass", "bypass"],
    ["dont-ask", "deny"],
  ] as const) {
    await on.tell({ type: "mode", mode });
    for (const columns of [20, 33, 60, 79, 80, 100, 130]) {
      expect(Bun.stringWidth(on.rows(columns, 24).at(-1) ?? "")).toBeLessThanOrEqual(columns);
      if (columns < 80) expect(line(on, columns)).toEndWith(` ${word}`);
      else expect(line(on, columns)).toContain("  $0.0090");
    }
  }
});

test("it is calm: amber above 85 %, red when the next request may not fit, and without approvals", async () => {
  const theme = makeTheme("dark");
  const row = (on: Stage): string => on.rows(140, 24).at(-1) ?? "";
  for (const [used, role, size] of [
    [76_000, "strong", "  76k of 180k · 42 %"],
    [160_000, "meterMiddle", "  160k of 180k · 89 %"],
    [181_000, "meterHigh", "  181k of 180k · 101 %"],
  ] as const)
    expect(row(open(reading(used), { theme }))).toContain(theme.paint(role, size));
  const on = open(reading(1_000), { theme });
  await on.tell({ type: "mode", mode: "bypass" });
  expect(row(on)).toContain(theme.paint("bad", "no approvals"));
});

const policy = (more: Partial<Policy>): Options => ({ settings: { ...defaultPolicy, ...more } });
const estimated = { rules: { ...rules, prices: { ...rules.prices, areEstimates: true as const } } };
const draft = (on: Stage) => on.emit({ type: "paste", text: "word ".repeat(17_000) });
const prepare = (on: Stage) => on.tell({ type: "compaction", state: { step: "preparing" } });
const spend = (spentUsd: number) => (on: Stage) => {
  const day: BudgetState = { scope: "day", capUsd: 5, spentUsd };
  return on.tell({ type: "budget", budget: [day] });
};
const unboxed = (on: Stage): void => on.store.dispatch({ type: "set", hasSandbox: false });
const late = (on: Stage): void => on.wait(600_000);

/** A session with a summary that is written already. */
function ready(): Builder {
  const built = reading(155_000);
  built.add({
    type: "attempt",
    outcome: "ready",
    by: "model",
    trigger: "auto",
    reason: "Ready.",
    usedTokens: 1,
    usage: { ...usage, output: 1_000 },
    draft: { span: { from: "e2", to: built.path.at(-1)?.id ?? "" }, text: "Read them all." },
  });
  return built;
}

test.each<
  [
    name: string,
    built: Builder,
    act: (on: Stage) => unknown,
    options: Options,
    shown: [number, RegExp][],
  ]
>([
  [
    "a cut by size, marked on the bar, in less and less room",
    reading(45_000),
    () => {},
    {},
    [
      [
        200,
        /▓░+╎░+▌  45k of 180k · 25 %  next: trim 3 large results at 90k, frees 13k for \$0\.10  \$0\.0090  cache 5 min +sonnet · asks before edits$/,
      ],
      [160, /90k, frees 13k for \$0\.10  \$0\.0090 +sonnet/],
      [120, /  next: trim 3 large results at 90k  \$0\.0090 +asks before edits$/],
      [80, /  trim at 90k  \$0\.0090 +ask$/],
      [60, /  45k of 180k · 25 %  trim at 90k +ask$/],
      [40, /▌  45k of 180k · 25 % +ask$/],
      [24, /^25 % +ask$/],
    ],
  ],
  [
    "a cut that is due",
    reading(100_000),
    () => {},
    {},
    [[160, /next: trim 3 large results with your next message, frees 18k  \$0\.02/]],
  ],
  [
    "a size that reads like the one in use",
    reading(89_960),
    () => {},
    {},
    [[160, /trim 3 large results in 39 tokens/]],
  ],
  [
    "nothing where no cut will come",
    reading(45_000, 0),
    () => {},
    {},
    [[160, /25 %  \$0\.0090  cache 5 min +sonnet/]],
  ],
  [
    "a cut that waits for the cache, which leaves early",
    reading(40_000, 25, 3_000),
    () => {},
    policy({ keepFileCalls: 3 }),
    [
      [200, /next: clear 22 old results when the cache expires, frees 30k/],
      [160, /^(?!.*clear)/],
    ],
  ],
  ["a cold cache", reading(45_000, 0), late, {}, [[160, /  cache cold /]]],
  [
    "a summary that asks first",
    reading(155_000),
    () => {},
    policy({ autoCompact: "ask" }),
    [
      [200, /next: asks to summarize 1 turn with your next message, frees about 53k for ~\$0\.08/],
      [120, /  asks to summarize with your next message/],
    ],
  ],
  [
    "a summary that is being written",
    reading(155_000),
    prepare,
    {},
    [[160, /next: summarize 1 turn once ready, frees about 53k/]],
  ],
  [
    "a summary that is ready",
    ready(),
    () => {},
    {},
    [
      [160, /  summary ready: frees 56k  \$/],
      [100, /  summary ready  \$/],
    ],
  ],
  [
    "a summary that pays soon",
    reading(250_000, 6, 200_000),
    () => {},
    { rules: { ...rules, windowTokens: 1_000_000 } },
    [
      [160, /each call reads 250k: a summary pays after 2 calls · Ctrl-S/],
      [120, /26 %  a summary pays after 2 calls · Ctrl-S/],
    ],
  ],
  [
    "a draft, hollow on the bar",
    reading(100_000),
    draft,
    {},
    [
      [
        200,
        /▏▒{5}░+▌  100k of 180k · 56 %  \+~21k draft  next: trim 3 large results with your next message, frees about 18k for ~/,
      ],
      [100, /▒{3}.*56 %  trim with your next/],
    ],
  ],
  ["cost at estimated prices", reading(100_000), () => {}, estimated, [[160, /  ~\$0\.02 /]]],
  ["spending below half of a cap", reading(100_000, 0), spend(2.4), {}, [[160, /56 %  \$0\.02 /]]],
  [
    "spending from half of a cap on",
    reading(100_000, 0),
    spend(2.61),
    {},
    [[160, /56 %  \$2\.61 of \$5\.00 today /]],
  ],
  [
    "a missing sandbox, until there is only room for the mode",
    reading(100_000, 0),
    unboxed,
    {},
    [
      [120, /sonnet · asks before edits · no sandbox$/],
      [64, /  ask · no sandbox$/],
      [40, /  ask$/],
    ],
  ],
])("%s", async (_, built, act, options, shown) => {
  const on = open(built, options);
  await act(on);
  for (const [columns, wanted] of shown) expect(line(on, columns)).toMatch(wanted);
});

test("the forecast of a long history waits until the first frame is drawn", async () => {
  const built = new Builder();
  for (let turn = 0; turn < 300; turn++) {
    built.user(`Question ${turn}`);
    built.answer([call(`c${turn}`)], { usage });
    built.result(`c${turn}`, "some output ".repeat(20));
    built.answer([say(`Answer ${turn}`)], { usage: { ...usage, input: 155_000 } });
  }
  const on = open(built);
  expect(line(on)).not.toContain("next:");
  const { promise, resolve } = Promise.withResolvers<void>();
  on.store.subscribe(() => line(on).includes("next:") && resolve());
  await promise;
});
