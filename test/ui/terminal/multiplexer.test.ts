/** The screen inside a real tmux, if it is installed. */

import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedCommand } from "../../builds.ts";
import { start, type Pty } from "../pty.ts";

const tmux = (...args: string[]) => ["tmux", "-L", "test", "-f", "/dev/null", ...args];

/** A mouse report; cells are counted from 1. */
const mouse = (button: number, column: number, row: number, end: "M" | "m" = "M"): string =>
  `\x1b[<${button};${column};${row}${end}`;
const click = (column: number, row: number): string =>
  mouse(0, column, row) + mouse(0, column, row, "m");

const findRow = (pty: Pty, text: string): number =>
  pty
    .screen()
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;

async function useMouse(pty: Pty): Promise<void> {
  // Passed on to the terminal.
  await pty.waitFor(() => pty.output().includes("\x1b[?1002h"));
  await pty.type(mouse(64, 10, 5));
  await pty.waitFor("more below");
  await pty.type(mouse(65, 10, 5).repeat(3));
  await pty.waitFor((now) => !now.includes("more below"));
  await pty.type(click(8, findRow(pty, "Bash echo 36")));
  await pty.waitFor("│ command: echo 36");
  const row = findRow(pty, "second line");
  await pty.type(mouse(0, 5, row) + mouse(32, 40, row) + mouse(0, 40, row, "m"));
  await pty.waitFor(/Copied selection: \d+ characters\./);
  await pty.hit("ctrl+t", "your messages");
  await pty.type(click(10, findRow(pty, " Items ")));
  await pty.waitFor("Items: ");
  await pty.hit("escape", (now) => !now.includes("Items: "));
}

test.skipIf(Bun.which("tmux") === null)(
  "the mouse works; the prefix has other keys; detached, the agent continues, and attached at another size, everything is shown",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "tmux-"));
    const env = { HOME: root, TMUX_TMPDIR: root };
    // Keeps the terminal after the program has ended.
    const kept = ["sh", "-c", '"$@"; echo ended with $?; exec cat', "sh"];
    // By default tmux waits half a second after Escape.
    const quick = ["set-option", "-s", "escape-time", "10", ";"];
    const command = tmux(...quick, "new-session", ...kept, ...scriptedCommand({ items: 40 }));
    const pty = start(command, { cols: 80, rows: 24, env });
    try {
      await pty.waitFor("❯ Ask");
      await useMouse(pty);
      await pty.type("world");
      await pty.waitFor("❯ world");
      // Ctrl-A and Ctrl-B, the prefix of GNU screen and of tmux, have alternatives: Home and F4.
      await pty.press("home");
      await pty.type("hello ");
      await pty.waitFor("❯ hello world");
      await pty.type("\x1bOS");
      await pty.waitFor("sends the running command here");
      await pty.hit("escape", (now) => !now.includes("sends the running command here"));
      await pty.press("ctrl+e", "ctrl+u");
      await pty.waitFor("❯ Ask");
      await pty.send("stream 300", "Writing");
      await pty.type("half a thought");
      await pty.waitFor("❯ half a thought");
      await pty.press("ctrl+b");
      await pty.type("d");
      expect(await pty.exited).toBe(0);
      const again = start(tmux("attach"), { cols: 100, rows: 30, env });
      await again.waitFor(/ w297[^]*1 tool call|w297[^]*written/);
      await again.waitFor(/─{96}\n {2}❯ half a thought\n {2}─{96}/);
      again.resize(60, 16);
      await again.waitFor(
        /^ {2}─{56}\n {2}❯ half a thought\n {2}─{56}\n.*\bask(?:s before edits)?$/m,
      );
      await again.press("ctrl+e", "ctrl+u");
      await again.waitFor("❯ Ask");
      await again.send("/exit", "ended with 0");
      expect(again.screen()).not.toContain("asks before edits");
      await again.press("ctrl+d");
      await again.exited;
      await again.close();
    } finally {
      await Bun.spawn(tmux("kill-server"), { env: { ...process.env, ...env } }).exited;
      await pty.close();
      await rm(root, { recursive: true, force: true });
    }
  },
);
