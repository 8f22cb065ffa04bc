/** The transcript says what is true of the context: kept words, undone cuts, waiting, output. */

import { expect, test } from "bun:test";
import { Builder, call, noPrice, say } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";

const shown = (on: Stage, columns = 100): string => on.shown(columns, 60);

function summarized(): { on: Builder; cut: string } {
  const on = new Builder();
  const first = on.user("my words stay as they are");
  on.answer([call("a")]);
  on.result("a", "text");
  const last = on.answer([say("Read it for you.")]);
  const text = "Summary.\nThe user said: my words stay as they are";
  const cut = on.cut([{ kind: "cover", span: { from: first.id, to: last.id }, text }], "summary");
  on.user("go on");
  on.answer([say("Done.")]);
  return { on, cut: cut.id };
}

test("a message that a summary keeps verbatim has no badge; what it replaces has one", () => {
  const on = stage(summarized().on);
  const screen = shown(on);
  expect(screen).toMatch(/my words stay as they are *$/m);
  expect(screen).toMatch(/Read it for you\. +\[summarized/);
});

test("an undone cut is struck through and says what redoes it; Enter does, too", async () => {
  const { on, cut } = summarized();
  on.add({ type: "restore", cut, price: noPrice });
  const staged = stage(on);
  expect(shown(staged)).toMatch(/result summarized .* · undone · \/redo-compact/);
  expect(staged.rows(60, 40).join("\n")).toContain("undone · /redo-compact");
  await staged.press("<ctrl+o>");
  while (staged.sent.length === 0) await staged.press("k", "<enter>");
  expect(staged.sent).toEqual([{ type: "restore", cut, redo: true }]);
});

test("/status asks git each time it is opened", async () => {
  let changedFiles = 0;
  const on = stage(new Builder(), {
    services: { gitState: async () => ({ branch: "main", changedFiles: changedFiles++ }) },
  });
  await on.press("/status\r");
  await on.settle();
  expect(on.frame()).toMatch(/Folder +\/w\nGit +main, no changes\n[^]*Log +\/w\/s\.jsonl$/m);
  await on.press("<escape>", "/status\r");
  await on.settle();
  expect(on.frame()).toContain("main, 1 file changed");
});

test("a removed call in little room shows its badge alone", () => {
  const on = new Builder();
  on.user("count");
  const result = on.step("c", "text\n".repeat(500), { tool: "Bash" });
  on.cut([{ kind: "replace", entry: result.id, text: "[cleared]" }], "microcompact");
  const end = (columns: number): string =>
    /\[cleared.*$/m.exec(shown(stage(on), columns))?.[0] ?? "";
  expect(end(100)).toMatch(/freed\] 500 lines/);
  expect(end(50)).toMatch(/freed\]$/);
});

test("a message takes 100 columns, however wide the screen is", () => {
  const on = new Builder();
  on.user("x".repeat(205));
  const rows = shown(stage(on), 160)
    .split("\n")
    .filter((row) => row.includes("x"));
  expect(rows.map((row) => row.replace(/[^x]/g, "").length)).toEqual([100, 100, 5]);
});

const text = "The server refused the key.";

test.each([
  ["by the transcript", 1, []],
  ["above the prompt, when scrolled up", 40, ["<pageup>", "<pageup>"]],
])("a failure is shown once, %s", async (_, lines, keys) => {
  const built = new Builder();
  built.user("hello\n".repeat(lines));
  built.answer([{ type: "text", text: "word\n\n".repeat(lines) }]);
  const on = stage(built);
  on.rows(80, 20);
  await on.press(...keys);
  const entry = built.add({ type: "note", kind: "error", text });
  await on.tell({ type: "entry", entry }, { type: "idle", why: "failed", message: text });
  expect(on.shown(80, 20).split(text)).toHaveLength(2);
});
