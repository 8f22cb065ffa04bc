/** The transcript in a terminal, with a scripted agent: reading, clicking, copying. */

import { expect, test } from "bun:test";
import { say } from "../../context/build.ts";
import { answer } from "../../facts.ts";
import { openScripted } from "../scripted.ts";

const open = (script: object = {}, size = { cols: 80, rows: 20 }) =>
  openScripted({ settings: { mouse: true, notifications: false }, ...script }, size);

const top = (screen: string): string => screen.split("\n")[0] ?? "";

test("the top line stays in place while an answer is streamed", async () => {
  const pty = await open({ items: 200 });
  await pty.send("pour", "w21");
  await pty.press("pageup");
  let before = top(await pty.waitFor("▼ more below"));
  for (let page = 0; page < 2; page++) {
    const above = before;
    await pty.press("pageup");
    before = top(await pty.waitFor((now) => top(now) !== above && now.includes("▼ more below")));
  }
  await pty.hit("escape", "Stopped.");
  expect(top(pty.screen())).toBe(before);
  await pty.hit("ctrl+end", (now) => !now.includes("below"));
});

test("the top line stays in place when the width changes", async () => {
  const text = Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ");
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
  const pty = await open({ history: [answer(usage, [say(text)])] });
  await pty.waitFor("word399");
  await pty.press("pageup");
  const first = /word\d+/.exec(top(await pty.waitFor("more below")))?.[0] ?? "";
  for (const cols of [50, 30, 100]) {
    pty.resize(cols, 20);
    await pty.waitFor((now) => top(now).includes(first) && now.includes("asks before edits"));
  }
});

test("a click opens a call, the wheel scrolls, and neither types anything", async () => {
  const pty = await open({ items: 60 });
  const before = pty.screen();
  expect(before).not.toContain("│ command: ");
  const row = before.split("\n").findLastIndex((line) => line.includes("Bash echo"));
  await pty.type(`\x1b[<0;5;${row + 1}M\x1b[<0;5;${row + 1}m`);
  await pty.waitFor("│ command: echo");
  await pty.type("\x1b[<64;5;5M".repeat(4));
  await pty.waitFor((now) => !now.includes("│ command: "));
  await pty.type("\x1b[<65;5;5M".repeat(4));
  expect(await pty.waitFor("│ command: echo")).toContain("❯ Ask, or /");
});

test("a click on a long answer leaves it in its place", async () => {
  const pty = await open();
  const lines = Array.from({ length: 60 }, (_, n) => `Line ${n}`).join("\\n\\n");
  const end = await pty.send(`say ${lines}`, "Line 59");
  await pty.type("\x1b[<0;5;8M\x1b[<0;5;8m");
  // Taken after the click, as keys are in order.
  await pty.type("x");
  await pty.waitFor("❯ x");
  expect(pty.screen()).toContain("Line 59");
  expect(pty.screen().split("\n")[4]).toBe(end.split("\n")[4] ?? "");
});
