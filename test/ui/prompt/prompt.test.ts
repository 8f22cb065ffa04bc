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
  await pty.type("\r");
  await pty.waitFor(/one three\n/);
  // While the agent hangs, vim takes the first Escape; the second one stops the agent.
  await pty.type("ihang");
  await pty.type("\r");
  await pty.waitFor("Esc stop");
  await pty.type("\x1b[27u");
  await pty.waitFor("NORMAL");
  expect(pty.screen()).toContain("Esc stop");
  await pty.type("\x1b[27u");
  await pty.waitFor("Stopped.");
  await pty.type("i/vim\r");
  await pty.waitFor("Vim keys off.");
  expect(pty.screen()).not.toContain("NORMAL");
  await pty.close();
});

test("Up returns queued messages to the prompt, with pastes still folded", async () => {
  const pty = await open();
  await pty.type("hang\r");
  await pty.waitFor("Esc stop");
  await pty.paste(Array.from({ length: 20 }, (_, n) => `row ${n}`).join("\n"));
  await pty.waitFor("[Pasted #1, 20 lines]");
  await pty.type(" first\r");
  await pty.waitFor("queued: row 0");
  await pty.type("second\r");
  await pty.waitFor("queued: second");
  await pty.press("up");
  await pty.waitFor(/❯ \[Pasted #1, 20 lines\] first\n +second/);
  await pty.waitFor((now) => !now.includes("queued:"));
  await pty.press("alt+e");
  await pty.waitFor(/row 19 first\n +second/);
  await pty.close();
});
