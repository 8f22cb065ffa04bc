import { expect, test } from "bun:test";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { Builder } from "../../context/build.ts";
import { askAbout } from "../../questions.ts";
import { stage, type Stage } from "../stage.ts";

/** The row of the activity: the last one with text above the prompt. */
const activity = (on: Stage): string => {
  const rows = on.rows(100, 20).map((row) => Bun.stripANSI(row).trim());
  return rows.slice(0, -4).findLast((row) => row !== "") ?? "";
};

const reason = `the server cannot answer (500: "${"Unable to parse. ".repeat(20)}")`;

test("says what happens, as soon as it does, and how to stop it, before a reason that may be long", async () => {
  const on = stage(new Builder());
  const steps: [event: AgentEvent, shown: RegExp][] = [
    [{ type: "phase", phase: "starting" }, /Starting 0 s · Esc stop$/],
    [{ type: "phase", phase: "waiting" }, /Waiting for the model/],
    [{ type: "delta", index: 0, kind: "thinking", text: "Let me see." }, /Thinking/],
    [{ type: "delta", index: 1, kind: "text", text: "Hello" }, /Writing/],
    [{ type: "phase", phase: "tools" }, /Running 0 s · Esc stop$/],
    [{ type: "progress", toolUse: "!", tail: "", bytes: 0 }, / · Ctrl-B background$/],
    [{ type: "progress", toolUse: "!", tail: "one\ntwo\n", bytes: 8 }, /Esc stop · two$/],
    [
      { type: "retry", attempt: 2, of: 8, waitMs: 4_000, reason },
      /^Retry 2 of 8 in 4 s · Esc stop · the server/,
    ],
    [{ type: "phase", phase: "compacting" }, /Compacting 0 s/],
    [
      { type: "compaction", state: { step: "writing", text: "The harbour\nis full." } },
      /Compacting: The harbour⏎is full\. 0 s/,
    ],
    [
      { type: "compaction", state: { step: "preparing" } },
      /^Writing the next summary in the background$/,
    ],
  ];
  for (const [event, shown] of steps) {
    await on.tell(event);
    expect(activity(on)).toMatch(shown);
  }
});

test("says that a question waits behind an open panel", async () => {
  const on = stage(new Builder(), { panel: { kind: "todo" } });
  await on.tell({ type: "ask", ask: askAbout("ls", { inBackground: true }) });
  expect(on.shown(100, 40)).toContain("Waiting for you");
  expect(on.frame()).not.toContain("(in the background)");
  await on.press("<escape>");
  expect(on.frame()).toContain("(in the background)");
});
