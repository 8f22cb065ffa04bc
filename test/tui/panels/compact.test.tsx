import { describe, expect, test } from "bun:test";
import { measure, tokensOf } from "../../../src/context/meter.ts";
import { clearPlan, summaryPlan } from "../../../src/context/pipeline.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { preview } from "../../../src/tui/panels/compact-preview.ts";
import { CompactPanel } from "../../../src/tui/panels/compact.tsx";
import { Builder, rules } from "../../context/build.ts";
import { stage } from "./stage.tsx";

/** Five reads, the first one large, in two turns. */
function session(): Builder {
  const built = new Builder();
  built.user("Read them all.");
  for (let n = 1; n <= 5; n++) built.step(`c${n}`, `text ${n} `.repeat(n === 1 ? 3_000 : 300));
  built.answer([{ type: "text", text: "Read." }]);
  built.user("And now?");
  built.answer([{ type: "text", text: "Now we sail." }]);
  return built;
}

describe("preview", () => {
  const built = session();
  const reading = measure(built.view, rules, defaultPolicy, built.nowMs);
  const tokens = tokensOf(built.view, rules);

  test("of clearing names what goes, the largest first, and what stays", () => {
    const plan = clearPlan(built.view, reading, defaultPolicy, rules);
    const { goes, largest, stays, price } = preview(plan, built.view, tokens, defaultPolicy);
    expect(goes).toStartWith("Goes: 2 older results,");
    expect(largest.map((line) => line.trim().split(/\s+/).slice(1).join(" "))).toEqual([
      "Read /w/c1.ts",
      "Read /w/c2.ts",
    ]);
    expect(stays).toBe("Stays: all words, all calls, the newest 3 results.");
    expect(price).toMatch(/^[\d.]+k → [\d.]+k? tokens, [\d.]+k freed, [\d.]+k? cached broken, /);
  });

  test("of a summary counts what it covers and what stays word for word", () => {
    const plan = summaryPlan(built.view, reading, defaultPolicy, rules);
    const { goes, stays } = preview(plan, built.view, tokens, defaultPolicy);
    expect(goes).toMatch(/^Goes: \d+ items, from #e2 to #e\d+, for a summary\.$/);
    expect(stays).toContain("1 message of yours word for word");
    expect(stays).toContain("/undo-compact");
  });

  test("pinned items are told of, and not among what goes", () => {
    const pinned = session();
    pinned.add({ type: "pin", entry: "e4", on: true });
    const now = measure(pinned.view, rules, defaultPolicy, pinned.nowMs);
    const plan = summaryPlan(pinned.view, now, defaultPolicy, rules);
    const shown = preview(plan, pinned.view, tokensOf(pinned.view, rules), defaultPolicy);
    expect(shown.stays).toContain("1 pinned item");
    expect(shown.largest.join("\n")).not.toContain("c1.ts");
  });

  test("of nothing says so", () => {
    const fresh = new Builder();
    expect(preview(null, fresh.view, tokens, defaultPolicy).goes).toContain("nothing that could");
  });
});

describe("panel", () => {
  const open = (built: Builder, focus = "", columns = 100, rows = 18) =>
    stage(built, (props) => <CompactPanel {...props} focus={focus} />, { columns, rows });

  test("Enter summarises with the focus, Tab first clears instead", async () => {
    const one = open(session(), "keep the sails");
    await one.press("<enter>");
    expect(one.sent).toEqual([
      { type: "compact", how: "summarise", trigger: "key", focus: "keep the sails" },
    ]);
    one.end();
    const two = open(session());
    await two.press("<tab>");
    expect(two.frame()).toContain("◉ clear stale results only:");
    await two.press("<enter>");
    expect(two.sent).toEqual([{ type: "compact", how: "clear", trigger: "key" }]);
    two.end();
  });

  test("a focus can be pasted; what is no text in it does not come along", async () => {
    const { emit, press, sent, end } = open(session());
    await emit({ type: "paste", text: "the \x1b[31mred\x1b[0m sails" });
    await press("<enter>");
    expect(sent).toMatchObject([{ type: "compact", focus: "the red sails" }]);
    end();
  });

  test("Esc before Enter sends nothing and closes", async () => {
    const { press, sent, store, end } = open(session());
    store.dispatch({ type: "panel", panel: { kind: "compact", focus: "" } });
    await press("<escape>");
    expect(sent).toEqual([]);
    expect(store.getState().panel).toBeNull();
    end();
  });

  test("shows the progress, stops by Esc, and what became of an earlier one is no news", async () => {
    const { press, tell, frame, sent, end } = open(session());
    const failed = { step: "failed" as const, message: "An old failure." };
    await tell({ type: "compaction", state: failed }, { type: "idle", why: "done" });
    await press("<enter>");
    expect(frame()).not.toContain("An old failure.");
    await tell(
      { type: "phase", phase: "compacting" },
      { type: "compaction", state: { step: "writing", text: "The harbour is\nfull." } },
    );
    expect(frame()).toContain("writing: The harbour is⏎full.");
    await press("<escape>");
    expect(sent.at(-1)).toEqual({ type: "stop" });
    await tell(
      { type: "compaction", state: { step: "failed", message: "Not compacted." } },
      { type: "idle", why: "stopped" },
    );
    expect(frame()).toContain("Not compacted.");
    end();
  });

  test("while the agent works nothing is sent", async () => {
    const { press, tell, frame, sent, end } = open(session());
    await tell({ type: "phase", phase: "tools" });
    await press("<enter>");
    expect(sent).toEqual([]);
    expect(frame()).toContain("The agent works");
    end();
  });

  test.each([
    [100, 18, ""],
    [60, 10, ""],
    [40, 8, ""],
    [20, 6, ""],
    [40, 8, "a focus that is longer than one line of the screen"],
  ])("keeps to %d columns, %d rows", async (columns, rows, focus) => {
    const { frame, settle, end } = open(session(), focus, columns, rows);
    await settle();
    const lines = frame().split("\n");
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines[0]).toStartWith("── Compact");
    end();
  });
});
