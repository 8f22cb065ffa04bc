/** The prompt on the real screen: vim keys, pastes, queued messages. */

import { expect, test } from "bun:test";
import { openScripted } from "../scripted.ts";

const open = (settings: object = {}) => openScripted({ settings });

test("vim keys: the mode is shown, and Escape leaves insert mode before it stops the agent", async () => {
  const pty = await open({ vim: true });
  await pty.waitFor("INSERT");
  await pty.type("say one two");
  await pty.waitFor("❯ say one two");
  await pty.type("\x1b[27u");
  await pty.waitFor("NORMAL");
  await pty.type("bcwthree\x1b[27u0");
  await pty.waitFor("❯ say one three");
  await pty.waitFor(() => pty.cursor().column === 4);
  await pty.send("", /one three\n/);
  // While the agent hangs, vim takes the first Escape; the second one stops the agent.
  await pty.type("ihang");
  await pty.send("", "Esc stop");
  await pty.type("\x1b[27u");
  await pty.waitFor("NORMAL");
  expect(pty.screen()).toContain("Esc stop");
  await pty.type("\x1b[27u");
  await pty.waitFor("Stopped.");
  await pty.send("i/vim", "Vim keys off.");
  expect(pty.screen()).not.toContain("NORMAL");
});

test("Up returns queued messages to the prompt, with pastes still folded", async () => {
  const pty = await open();
  await pty.send("hang", "Esc stop");
  await pty.paste(Array.from({ length: 20 }, (_, n) => `row ${n}`).join("\n"));
  await pty.waitFor(/\[Pasted #\d+, 20 lines\]/);
  await pty.send(" first", "queued: row 0");
  await pty.send("second", "queued: second");
  await pty.hit("up", /❯ \[Pasted #\d+, 20 lines\] first\n +second/);
  await pty.waitFor((now) => !now.includes("queued:"));
});

test("the screen still takes keys after a line of 10 MB is pasted, streamed and printed", async () => {
  const pty = await openScripted({}, { rows: 16 });
  await pty.paste("x".repeat(10_000_000));
  await pty.waitFor(/\[Pasted #\d+, 10,000,000 characters\]/);
  await pty.type("!");
  await pty.waitFor("characters]!");
  await pty.press("ctrl+c");
  await pty.send("blow 10000000", (now) => now.includes("Bash blow") && /❯ Ask/.test(now));
  await pty.type("after it");
  await pty.waitFor("❯ after it");
  // It draws a few screens, not the full text.
  expect(pty.written()).toBeLessThan(1_000_000);
});
