/** The screen restores the terminal, however the program ends. */

import { expect, test } from "bun:test";
import { scriptedCommand } from "../../builds.ts";
import type { Emulator } from "../emulator.ts";
import { inMemory } from "../memory.ts";
import { start } from "../pty.ts";
import { runScripted } from "../scripted-screen.ts";
import { openScripted } from "../scripted.ts";

/** Cooked mode, cursor shown, normal buffer, no mouse, no bracketed paste. */
async function expectRestored(pty: Emulator): Promise<void> {
  await pty.waitFor(() => pty.terminal.buffer.active.type === "normal");
  const output = pty.output();
  const findLast = (mode: string): string | undefined =>
    output
      .split("\x1b[?")
      .findLast((piece) => piece.startsWith(mode))
      ?.at(mode.length);
  expect(findLast("25")).toBe("h");
  expect(findLast("1000")).not.toBe("h");
  expect(findLast("2004")).toBe("l");
}

test("typed before the screen is up, Enter submits; a paste does not; in 256 colors; an uncaught error restores the terminal and is reported", async () => {
  const command = scriptedCommand({ settings: { mouse: true } });
  // With a variable CI, Ink by itself does not draw.
  const pty = start(command, { cols: 80, rows: 24, env: { CI: "true" }, isCooked: true });
  await pty.type("say An *early* word\rand more");
  await pty.waitFor("An early word");
  await pty.waitFor("❯ and more");
  await pty.paste("\nlines\nbelow");
  await pty.waitFor(/❯ and more\n +lines\n +below/);
  expect(pty.output()).toContain("\x1b[38;5;");
  await pty.press("ctrl+c");
  await pty.send("throw", "scripted crash");
  expect(await pty.exited).not.toBe(0);
  await expectRestored(pty);
  await pty.close();
});

test("SIGTERM while the screen is being set up restores the terminal", async () => {
  const terminal = inMemory(async () => {
    await Promise.resolve();
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    const writeAndEnd = (text: string): boolean => {
      const isTaken = write(text);
      if (text.includes("\x1b[?1049h")) terminal.kill("SIGTERM");
      return isTaken;
    };
    Object.assign(stdout, { write: writeAndEnd });
    return runScripted({});
  });
  expect(await terminal.exited).toBe(143);
  await expectRestored(terminal);
});

test("the title shows the state, is sanitized, and is restored", async () => {
  const pty = await openScripted();
  await pty.waitFor(() => pty.output().includes("\x1b]0;tmp · mini-claude\x07"));
  expect(pty.output()).toContain("\x1b[22;0t");
  await pty.send("stream 20", "w17");
  expect(pty.output()).toContain("\x1b]0;● tmp · mini-claude\x07");
  await pty.hit("ctrl+d", () => pty.output().includes("\x1b[23;0t"));
});

test("title, bell and color can be switched off", async () => {
  const pty = await openScripted({ settings: { notifications: false, theme: "none" } });
  await pty.send("say # Head\\n\\nText `code` **bold**", "Text code bold");
  expect(pty.output()).not.toContain("\x1b]0;");
  expect(pty.output()).not.toContain("38;5;");
});

test("a summary that arrives all at once does not crash the screen, and keys go to the prompt", async () => {
  const pty = await openScripted({ items: 32 }, { rows: 30 });
  await pty.hit("ctrl+s", "Compact");
  await pty.press("enter");
  await pty.type("next step");
  await pty.waitFor((now) => now.includes("❯ next step") && now.includes("8 old results cleared"));
});
