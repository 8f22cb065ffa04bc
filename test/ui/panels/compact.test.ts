import { describe, expect, test } from "bun:test";
import { measure } from "../../../src/context/meter/meter.ts";
import { rowCounter } from "../../../src/context/view/row-tokens.ts";
import { clearPlan, summaryPlan } from "../../../src/context/ladder.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { describeEntry } from "../../../src/ui/transcript/format.ts";
import { previewPlan } from "../../../src/ui/panels/compact-preview.ts";
import { Builder, call, rules, say } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** Five reads in two turns; the first one is large. */
function session(): Builder {
  const built = new Builder();
  built.user("Read them all.");
  for (let n = 1; n <= 5; n++) built.step(`c${n}`, `text ${n} `.repeat(n === 1 ? 3_000 : 300));
  built.answer([{ type: "text", text: "Read." }]);
  built.user("And now?");
  built.answer([{ type: "text", text: "Now we sail." }]);
  return built;
}

describe("the preview", () => {
  const built = session();
  const signalsOf = ({ view, nowMs }: Builder) => {
    const reading = measure(view, rules, defaultPolicy, nowMs);
    return { view, reading, policy: defaultPolicy, rules };
  };
  const now = signalsOf(built);
  const tokens = rowCounter(built.view, rules);
  const titles = (lines: readonly string[]): string[] =>
    lines.map((line) => line.trim().split(/\s+/).slice(1).join(" "));

  test("of clearing lists what is removed, largest first, and what is kept", () => {
    const plan = clearPlan(now);
    if (!plan) throw new Error("no plan");
    const { sentences, largest, kept } = previewPlan(plan, now, tokens);
    expect(sentences[0]).toMatch(/^Clear 2 old results: [\d.]+k → ~[\d.]+k? tokens, /);
    expect(titles(largest)).toEqual(["Read /w/c1.ts", "Read /w/c2.ts"]);
    expect(kept).toBe("Kept: all messages and calls, the newest 3 results.");
  });

  test("of a summary lists no message of the user's under what is removed", () => {
    const plan = summaryPlan(now);
    if (!plan) throw new Error("no plan");
    const { sentences, largest, kept } = previewPlan(plan, now, tokens);
    expect(sentences[0]).toMatch(/^Summarize 1 turn: /);
    expect(sentences[0]).toContain("costs $");
    expect(kept).toContain("your message verbatim");
    expect(titles(largest).join("\n")).not.toContain("Read them all.");
    expect(largest.at(-1)).toMatch(/and \d+ more/);
  });

  test("names a cut whose row holds the user's words by what it did", () => {
    const again = session();
    const last = again.path.findLast(({ type }) => type === "result");
    const cut = again.cover(again.path[1]?.id ?? "", last?.id ?? "");
    expect(describeEntry(again.view, cut)).toBe("1 result summarized");
  });

  test("of a summary that is ready says what is paid, and what it costs now", () => {
    const one = session();
    one.answer([{ type: "text", text: "They are all there." }]);
    const last = one.path.at(-1)?.id ?? "";
    one.add({
      type: "attempt",
      outcome: "ready",
      by: "model",
      trigger: "auto",
      reason: "Ready.",
      usedTokens: 1,
      usage: { input: 0, cacheRead: 100_000, cacheWrite: 0, output: 1_000 },
      draft: { span: { from: "e2", to: last }, text: "Intent: read them all." },
    });
    const now = measure(one.view, rules, defaultPolicy, one.nowMs);
    const signals = { view: one.view, reading: now, policy: defaultPolicy, rules };
    const shown = (skipReady: boolean) => {
      const plan = summaryPlan(signals, undefined, { skipReady });
      if (!plan) throw new Error("no plan");
      const { sentences, kept } = previewPlan(plan, signals, rowCounter(one.view, rules));
      expect(kept).not.toContain("(0 tokens)");
      return sentences[0];
    };
    expect(shown(false)).toMatch(/the summary is ready \(\$0\.\d+ paid\), costs \$0\.\d+ more$/);
    expect(shown(true)).toMatch(/tokens, costs \$[\d.]+, /);
  });

  test("of a summary lists no instructions under what is removed: they stay beside it", () => {
    const one = session();
    const told = [{ type: "text" as const, text: "Use tabs. ".repeat(2_000) }];
    one.add({ type: "context", kind: "instructions", title: "AGENTS.md", content: told });
    one.user("Go on.");
    one.answer([{ type: "text", text: "Yes." }]);
    one.user("And?");
    const signals = signalsOf(one);
    const plan = summaryPlan(signals);
    if (!plan) throw new Error("no plan");
    const { largest } = previewPlan(plan, signals, rowCounter(one.view, rules));
    expect(largest.join("\n")).not.toContain("AGENTS.md");
  });

  test("counts pinned items as kept", () => {
    const pinned = session();
    pinned.add({ type: "pin", entry: "e4", on: true });
    const signals = signalsOf(pinned);
    const plan = summaryPlan(signals);
    if (!plan) throw new Error("no plan");
    const shown = previewPlan(plan, signals, rowCounter(pinned.view, rules));
    expect(shown.kept).toContain("1 pinned item");
    expect(shown.largest.join("\n")).not.toContain("c1.ts");
  });
});

describe("the panel", () => {
  async function open(built: Builder, focus = "", columns = 100, rows = 18) {
    const on = stage(built, { panel: { kind: "compact", text: focus }, columns, rows });
    await on.settle();
    return on;
  }

  test("summarizes with the focus on Enter; Tab first clears instead", async () => {
    const one = await open(session(), "keep the sails");
    await one.press("<enter>");
    expect(one.sent).toEqual([
      { type: "compact", how: "summarize", trigger: "key", focus: "keep the sails" },
    ]);
    const two = await open(session());
    expect(two.frame()).toContain("❯ Clear 2 old results:");
    expect(two.frame()).toContain("Preselected: it frees at least as much");
    await two.press("<enter>");
    expect(two.sent).toEqual([{ type: "compact", how: "clear", trigger: "key" }]);
  });

  test("offers the model for summaries and the session's own, each with its price", async () => {
    const cheap = {
      ...rules,
      model: "small",
      prices: { ...rules.prices, input: 0.1, output: 0.5 },
    };
    const panel = { kind: "compact" } as const;
    const on = stage(session(), { panel, columns: 120, rules: { ...rules, summarizer: cheap } });
    await on.settle();
    const prices = [...on.frame().matchAll(/By (\S+): Summarize.*?\$([\d.]+)/g)].map(
      ([, model = "", usd]) => [model, Number(usd)] as const,
    );
    expect(prices.map(([model]) => model)).toEqual(["small", rules.model]);
    await on.press("<up>", "<enter>");
    const own = { type: "compact", how: "summarize", trigger: "key", ownModel: true } as const;
    expect(on.sent).toEqual([own]);
  });

  test("names what is removed where there is room, and always what is kept", async () => {
    const roomy = await open(session());
    expect(roomy.frame()).toContain("(largest first):");
    const low = await open(session(), "the sails", 100, 7);
    expect(low.frame()).toContain("Kept: your message verbatim");
    expect(low.frame()).not.toContain("(largest first):");
  });

  test("takes a pasted focus without its control characters", async () => {
    const { emit, press, sent } = await open(session());
    await press("<tab>");
    await emit({ type: "paste", text: "the \x1b[31mred\x1b[0m sails" });
    await press("<enter>");
    expect(sent).toMatchObject([{ type: "compact", focus: "the red sails" }]);
  });

  test("sends nothing on Esc", async () => {
    const { press, sent, store } = await open(session());
    await press("<escape>");
    expect(sent).toEqual([]);
    expect(store.state.panel).toBeNull();
  });

  test("closes on Enter: later keys go to the prompt", async () => {
    const { press, tell, sent, store, prompt } = await open(session());
    await press("\rand then test it");
    expect(store.state.panel).toBeNull();
    expect(prompt()).toBe("and then test it");
    await tell(
      { type: "phase", phase: "compacting" },
      { type: "compaction", state: { step: "writing", text: "The harbour is\nfull." } },
    );
    await press(" twice", "<escape>");
    expect(prompt()).toBe("and then test it twice");
    expect(sent.at(-1)).toEqual({ type: "stop" });
  });

  test("reports a failed compaction above the prompt", async () => {
    const { tell, message } = await open(session());
    await tell({ type: "compaction", state: { step: "failed", message: "Not compacted." } });
    expect(message()).toBe("Not compacted.");
  });

  test("queues the compaction while the agent works, and says so", async () => {
    const { press, tell, frame, sent, message } = await open(session());
    await tell({ type: "phase", phase: "tools" });
    expect(frame()).toContain("Enter compact when this turn ends");
    await press("<enter>");
    expect(sent).toEqual([{ type: "compact", how: "clear", trigger: "key" }]);
    expect(message()).toBe("Will compact when this turn ends.");
  });

  test("offers no summary that the agent would decline, and says why", async () => {
    const built = session();
    const [first] = built.path.filter(({ type }) => type === "user");
    const last = built.path.at(-1);
    built.add({
      type: "cut",
      tier: "summary",
      trigger: "key",
      reason: "you asked for it",
      changes: [
        {
          kind: "cover",
          span: { from: first?.id ?? "", to: last?.id ?? "" },
          text: "Done so far.",
        },
      ],
      price: { usedBefore: 9_000, usedAfter: 900, cachedBroken: 0, usd: 0.01, breakEvenCalls: 1 },
    });
    built.user("thanks");
    built.answer([say("Fine.")]);
    const { frame } = await open(built);
    expect(frame()).toContain("Nothing to compact");
  });

  test("with nothing to compact says only that, and leaves keys to the prompt", async () => {
    const { frame, press, sent } = await open(new Builder());
    expect(frame()).toContain("Nothing to compact yet.");
    await press("go on", "<enter>");
    expect(frame()).not.toContain("Compact");
    expect(sent).toEqual([expect.objectContaining({ type: "prompt" })]);
  });

  test("shows the end of a long focus of wide characters", async () => {
    const { frame } = await open(session(), `${"漢".repeat(60)}末`, 40);
    expect(frame()).toContain("漢末");
  });

  test.each([
    [100, 18, ""],
    [60, 10, ""],
    [40, 8, ""],
    [20, 6, ""],
    [40, 8, "a focus that is longer than one line of the screen"],
  ])("keeps to %d columns, %d rows", async (columns, rows, focus) => {
    const { frame } = await open(session(), focus, columns, rows);
    const lines = frame().split("\n");
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines[0]).toStartWith("── Compact");
  });
});

test("calls are named as people say them", () => {
  const built = new Builder();
  built.user("plan it");
  const answer = built.answer([call("t1", "TodoWrite", { todos: [] }), call("b1", "Bash", {})]);
  expect(describeEntry(built.view, answer)).toBe("calls Todo, Bash");
});
