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
  const drafted = open(reading(150_000), { theme });
  await drafted.emit({ type: "paste", text: "word ".repeat(17_000) });
  expect(row(drafted)).toContain(theme.paint("meterMiddle", "  150k of 180k · 83 %"));
  const on = open(reading(1_000), { theme });
  await on.tell({ type: "mode", mode: "bypass" });
  expect(row(on)).toContain(theme.paint("bad", "no approvals"));
});

const policy = (more: Partial<Policy>): Options => ({ settings: { ...defaultPolicy, ...more } });

/** The lines in so many columns, without the bar. */
const facts = (on: Stage, ...columns: number[]): string =>
  columns.map((each) => line(on, each).replace(/^▐.*▌ {2}/, "")).join("\n");

test("a cut by size, in less and less room, and once it is due", () => {
  const on = open(reading(45_000));
  expect(line(on)).toStartWith("▐▌▌▌▓▓▓▓▓▓▓▓▓▓░░░░░░░╎░░░░░░░░░░░░░░░░░░░▌");
  expect(facts(on, 200, 160, 120, 80, 60, 40, 24)).toMatchInlineSnapshot(`
    "45k of 180k · 25 %  next: trim 3 large results at 90k, frees 13k for $0.10  $0.0090  cache 5 min                              sonnet · asks before edits
    45k of 180k · 25 %  next: trim 3 large results at 90k, frees 13k for $0.10  $0.0090   sonnet · asks before edits
    45k of 180k · 25 %  next: trim 3 large results at 90k  $0.0090   asks before edits
    45k of 180k · 25 %  trim at 90k  $0.0090         ask
    45k of 180k · 25 %  trim at 90k          ask
    45k of 180k · 25 %       ask
    25 %               ask"
  `);
  expect(facts(open(reading(100_000)), 200, 120, 110, 80)).toMatchInlineSnapshot(`
    "100k of 180k · 56 %  next: trim 3 large results with your next message, frees 18k for $0.09  $0.02  cache 5 min               sonnet · asks before edits
    100k of 180k · 56 %  next: trim 3 large results with your next message  $0.02  ask
    100k of 180k · 56 %  trim with your next message  $0.02      asks before edits
    100k of 180k · 56 %  $0.02                       ask"
  `);
  // A size that reads like the one in use is named as a distance.
  expect(line(open(reading(89_960)))).toContain("trim 3 large results in 39 tokens");
});

test("a cut that waits for the cache, which leaves early; a cold cache; nothing to come", () => {
  const waiting = open(reading(40_000, 25, 3_000), policy({ keepFileCalls: 3 }));
  expect(facts(waiting, 200, 160)).toMatchInlineSnapshot(`
    "40k of 180k · 22 %  next: clear 22 old results when the cache expires, frees 30k  $0.0080  cache 5 min                        sonnet · asks before edits
    40k of 180k · 22 %  $0.0080  cache 5 min                                              sonnet · asks before edits"
  `);
  const on = open(reading(45_000, 0));
  on.wait(600_000);
  expect(facts(on, 160)).toMatchInlineSnapshot(
    `"45k of 180k · 25 %  $0.0090  cache cold                                               sonnet · asks before edits"`,
  );
});

test("a summary that asks first, is being written, is ready, or pays soon", async () => {
  const asking = open(reading(155_000), policy({ autoCompact: "ask" }));
  expect(facts(asking, 200, 120)).toMatchInlineSnapshot(`
    "155k of 180k · 86 %  next: asks to summarize 1 turn with your next message, frees about 53k for ~$0.08  $0.03  cache 5 min    sonnet · asks before edits
    155k of 180k · 86 %  asks to summarize with your next message  $0.03           ask"
  `);
  const preparing = open(reading(155_000));
  await preparing.tell({ type: "compaction", state: { step: "preparing" } });
  expect(facts(preparing, 160)).toMatchInlineSnapshot(
    `"155k of 180k · 86 %  next: summarize 1 turn once ready, frees about 53k for ~$0.08  $0.03      asks before edits"`,
  );
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
  expect(facts(open(built), 160, 100)).toMatchInlineSnapshot(`
    "155k of 180k · 86 %  summary ready: frees 56k  $0.04  cache 5 min                     sonnet · asks before edits
    155k of 180k · 86 %  summary ready  $0.04          asks before edits"
  `);
  const large = { rules: { ...rules, windowTokens: 1_000_000 } };
  const paying = open(reading(250_000, 6, 200_000), large);
  expect(facts(paying, 160, 120)).toMatchInlineSnapshot(`
    "250k of 980k · 26 %  each call reads 250k: a summary pays after 2 calls · Ctrl-S  $0.05        asks before edits
    250k of 980k · 26 %  a summary pays after 2 calls · Ctrl-S  $0.05              ask"
  `);
});

test("a draft is hollow on the bar, and counts", async () => {
  const on = open(reading(100_000));
  await on.emit({ type: "paste", text: "word ".repeat(17_000) });
  expect(line(on)).toStartWith("▐██████████▌▌▓▓▓▓▓▓▓▓▓▓▓▓▏▒▒▒▒▒░░░░░░░░░░▌");
  expect(facts(on, 200, 100)).toMatchInlineSnapshot(`
    "100k of 180k · 56 %  +~21k draft  next: trim 3 large results with your next message, frees about 18k for ~$0.13  $0.02        sonnet · asks before edits
    100k of 180k · 56 %  trim with your next message  $0.02          ask"
  `);
});

test("estimated prices, spending near a cap, and a missing sandbox", async () => {
  const prices = { ...rules.prices, areEstimates: true as const };
  const guessed = open(reading(100_000), { rules: { ...rules, prices } });
  expect(facts(guessed, 200)).toMatchInlineSnapshot(
    `"100k of 180k · 56 %  next: trim 3 large results with your next message, frees 18k for ~$0.09  ~$0.02  cache 5 min             sonnet · asks before edits"`,
  );
  const on = open(reading(100_000, 0));
  for (const [spentUsd, shown] of [
    [2.4, "56 %  $0.02 "],
    [2.61, "56 %  $2.61 of $5.00 today "],
  ] as const) {
    const budget: BudgetState[] = [{ scope: "day", capUsd: 5, spentUsd }];
    await on.tell({ type: "budget", budget });
    expect(line(on)).toContain(shown);
  }
  on.store.dispatch({ type: "set", hasSandbox: false });
  expect(facts(on, 140, 64, 40)).toMatchInlineSnapshot(`
    "100k of 180k · 56 %  $2.61 of $5.00 today  cache 5 min         sonnet · asks before edits · no sandbox
    100k of 180k · 56 %  $2.61 of $5.00 today    ask
    100k of 180k · 56 %      ask"
  `);
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
