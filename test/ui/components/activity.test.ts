import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { askAbout } from "../../questions.ts";
import { stage, type Stage } from "../stage.ts";

const open = () => stage(new Builder());

/** The row of the activity: the last one with text above the prompt. */
const activity = (on: Stage): string => {
  const rows = on.rows(100, 20).map((row) => Bun.stripANSI(row).trim());
  return rows.slice(0, -4).findLast((row) => row !== "") ?? "";
};

test("a retry says how to stop before its reason, which may be long", async () => {
  const on = open();
  const reason = `the server cannot answer (500: "${"Unable to parse. ".repeat(20)}")`;
  await on.tell({ type: "retry", attempt: 2, of: 8, waitMs: 4_000, reason });
  expect(activity(on)).toStartWith("Retry 2 of 8 in 4 s · Esc stop · the server");
});

test("says that the model writes as soon as it does", async () => {
  const on = open();
  await on.tell({ type: "phase", phase: "waiting" });
  expect(activity(on)).toContain("Waiting for the model");
  await on.tell({ type: "delta", index: 0, kind: "thinking", text: "Let me see." });
  expect(activity(on)).toContain("Thinking");
  await on.tell({ type: "delta", index: 1, kind: "text", text: "Hello" });
  expect(activity(on)).toContain("Writing");
});

test("says that a turn starts, and how to stop it, before the model is asked", async () => {
  const on = open();
  await on.tell({ type: "phase", phase: "starting" });
  expect(activity(on)).toMatch(/Starting 0 s · Esc stop$/);
});

test("says that a question waits behind an open panel", async () => {
  const on = stage(new Builder(), { panel: { kind: "todo" } });
  await on.tell({ type: "ask", ask: askAbout("ls", { inBackground: true }) });
  expect(on.shown(100, 40)).toContain("Waiting for you");
});
