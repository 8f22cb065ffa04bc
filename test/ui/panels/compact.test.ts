import { describe, expect, test } from "bun:test";
import { Builder, say } from "../../context/build.ts";
import { plainRules } from "../../model-rules.ts";
import { stage, type Stage } from "../stage.ts";

/** Five reads in two turns; the first one is large. */
function session(): Builder {
  const built = new Builder();
  built.user("Read them all.");
  for (let n = 1; n <= 5; n++) built.step(`c${n}`, `text ${n} `.repeat(n === 1 ? 3_000 : 300));
  built.answer([say("Read.")]);
  built.turn("And now?", "Now we sail.");
  return built;
}

const freeRules = {
  ...plainRules,
  prices: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
};

/** The open panel, by default large enough for all that it says. */
async function open(built: Builder, focus = "", more: Parameters<typeof stage>[1] = {}) {
  const panel = { kind: "compact", text: focus } as const;
  const on: Stage = stage(built, { panel, columns: 160, rows: 60, ...more });
  await on.settle();
  return on;
}

/** The items that are listed as removed. */
const removedIn = (frame: string): string[] =>
  frame.split("\n").flatMap((line) => /^ +[\d.]+k?  (.*)/.exec(line)?.[1] ?? []);

describe("the preview", () => {
  test("of a summary lists what it replaces, but neither the user's words nor instructions", async () => {
    const built = session();
    const content = [say("Use tabs. ".repeat(2_000))];
    built.add({ type: "context", kind: "instructions", title: "AGENTS.md", content });
    built.user("Go on.");
    const { frame } = await open(built, "sails");
    expect(frame()).toMatch(/❯ Summarize 2 turns: .*costs \$/);
    expect(frame()).toContain("Kept: your 2 messages verbatim");
    expect(frame()).toContain("Read /w/c1.ts");
    expect(frame()).toMatch(/and \d+ more/);
    expect(removedIn(frame()).join("\n")).not.toMatch(/Read them all|AGENTS/);
  });

  test("of a summary that is ready says what is paid, and what it costs now", async () => {
    const built = session();
    const { id: to } = built.answer([say("They are all there.")]);
    built.add({
      type: "attempt",
      outcome: "ready",
      by: "model",
      trigger: "auto",
      reason: "Ready.",
      usedTokens: 1,
      usage: { input: 0, cacheRead: 100_000, cacheWrite: 0, output: 1_000 },
      draft: { span: { from: "e2", to }, text: "Intent: read them all." },
    });
    const ready = await open(built);
    expect(ready.frame()).toMatch(/the summary is ready \(\$0\.\d+ paid\), costs \$0\.\d+ more$/m);
    ready.end();
    const focused = await open(built, "sails");
    expect(focused.frame()).toMatch(/Summarize .*k, costs \$[\d.]+, /);
    expect(focused.frame()).not.toContain("(0 tokens)");
  });

  test("counts pinned items as kept", async () => {
    const pinned = session();
    pinned.add({ type: "pin", entry: "e4", on: true });
    const { frame } = await open(pinned, "sails");
    expect(frame()).toContain("1 pinned item");
    expect(removedIn(frame())).not.toContain("Read /w/c1.ts");
  });

  test("without prices says nothing of a cost", async () => {
    const { frame } = await open(session(), "", { rules: freeRules });
    expect(frame()).not.toMatch(/cost|\$/);
  });
});

describe("the panel", () => {
  test("summarizes with the focus on Enter; without one, what is preselected", async () => {
    const one = await open(session(), "keep the sails");
    await one.press("<enter>");
    expect(one.sent).toEqual([
      { type: "compact", how: "summarize", trigger: "key", focus: "keep the sails" },
    ]);
    const two = await open(session());
    await two.press("<enter>");
    expect(two.sent).toEqual([{ type: "compact", how: "clear", trigger: "key" }]);
  });

  test("names what is removed only where there is room, and always what is kept", async () => {
    const low = await open(session(), "the sails", { columns: 100, rows: 7 });
    expect(low.frame()).toContain("Kept: your message verbatim");
    expect(low.frame()).not.toContain("(largest first):");
    const narrow = await open(session(), "", { columns: 60, rows: 13 });
    expect(narrow.frame()).not.toMatch(/:\n.*Esc cancel$/);
  });

  test("closes on Enter: later keys go to the prompt, and a failure is reported above it", async () => {
    const { press, tell, sent, store, prompt, message } = await open(session());
    await press("\rand then test it");
    expect(store.state.panel).toBeNull();
    expect(prompt()).toBe("and then test it");
    await tell({ type: "phase", phase: "compacting" });
    await press(" twice", "<escape>");
    expect(prompt()).toBe("and then test it twice");
    expect(sent.at(-1)).toEqual({ type: "stop" });
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

  test("offers no summary that the agent would decline, and Enter does nothing", async () => {
    const built = session();
    built.cover("e2", built.path.at(-1)?.id ?? "", "Done so far.");
    built.turn("thanks", "Fine.");
    for (const [nothing, why] of [
      [built, ": everything before the newest turn is summarized or pinned."],
      [new Builder(), " yet."],
    ] as const) {
      const { frame, press, sent } = await open(nothing);
      expect(frame()).toContain(`Nothing to compact${why}`);
      await press("<enter>");
      expect(sent).toEqual([]);
    }
  });

  test.each([
    [20, 6, ""],
    [40, 8, "a focus that is longer than one line of the screen"],
  ])("keeps to %d columns, %d rows", async (columns, rows, focus) => {
    const { frame } = await open(session(), focus, { columns, rows });
    const lines = frame().split("\n");
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines[0]).toStartWith("── Compact");
  });
});
