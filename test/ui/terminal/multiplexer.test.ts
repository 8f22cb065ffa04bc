/** The screen inside a real tmux and GNU screen, if they are installed. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedCommand } from "../../builds.ts";
import { start, type Pty } from "../pty.ts";

const root = await mkdtemp(join(tmpdir(), "mux-"));
const sockets = join(root, "s");
await mkdir(sockets, { mode: 0o700 });
const env = { HOME: root, TMUX_TMPDIR: sockets, SCREENDIR: sockets };
afterAll(() => rm(root, { recursive: true, force: true }));

const tmux = (name: string, ...args: string[]) => ["tmux", "-L", name, "-f", "/dev/null", ...args];
const screen = (...args: string[]) => ["screen", "-c", "/dev/null", ...args];

type Multiplexer = {
  /** Commands that start a session of this name, attach to it, and end it. */
  start(name: string): string[];
  attach(name: string): string[];
  end(name: string): string[];
  /** The multiplexer's own prefix key. */
  prefix: string;
};

const multiplexers = {
  tmux: {
    start: (name) => tmux(name, "new-session"),
    attach: (name) => tmux(name, "attach"),
    end: (name) => tmux(name, "kill-server"),
    prefix: "ctrl+b",
  },
  screen: {
    start: (name) => screen("-S", name),
    attach: (name) => screen("-r", name),
    end: (name) => screen("-S", name, "-X", "quit"),
    prefix: "ctrl+a",
  },
} satisfies Record<string, Multiplexer>;

/** While one is ending, it cannot be started again. */
let sessions = 0;

const command = scriptedCommand({ items: 40 });
/** Keeps the terminal after the program has ended. */
const kept = ["sh", "-c", '"$@"; echo ended with $?; exec cat', "sh", ...command];

/** Opens the screen in a multiplexer, while `work` runs. */
async function within(
  { start: begin, end }: Multiplexer,
  work: (pty: Pty, name: string) => Promise<void>,
) {
  const name = `s${++sessions}`;
  const pty = start([...begin(name), ...kept], { cols: 80, rows: 24, env });
  try {
    await pty.waitFor("❯ Ask");
    await work(pty, name);
  } finally {
    await Bun.spawn(end(name), { env: { ...process.env, ...env }, stdout: "ignore" }).exited;
    await pty.close();
  }
}

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

for (const [name, multiplexer] of Object.entries(multiplexers)) {
  const isMissing = Bun.which(name) === null;

  describe.skipIf(isMissing)(`in ${name}${isMissing ? " (not installed)" : ""}`, () => {
    test("an action whose key the prefix takes has another key; detached, the agent continues; attached at another size, everything is shown; quitting restores the terminal", () =>
      within(multiplexer, async (pty, session) => {
        await pty.type("world");
        await pty.waitFor("❯ world");
        // Ctrl-A and Ctrl-B have alternatives: Home and F4.
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
        await pty.press(multiplexer.prefix);
        await pty.type("d");
        expect(await pty.exited).toBe(0);
        const again = start(multiplexer.attach(session), { cols: 100, rows: 30, env });
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
        await again.close();
      }));
  });
}

describe.skipIf(Bun.which("tmux") === null)("the mouse in tmux", () => {
  test("scrolls, opens, selects, and changes the view of a panel", () =>
    within(multiplexers.tmux, async (pty) => {
      // Passed on to the terminal.
      await pty.waitFor(() => pty.output().includes("\x1b[?1002h"));
      await pty.type(mouse(64, 10, 5));
      await pty.waitFor("more below");
      await pty.type(mouse(65, 10, 5).repeat(3));
      await pty.waitFor((now) => !now.includes("more below"));
      await pty.type(click(8, findRow(pty, "Bash echo 36")));
      await pty.waitFor("second line");
      const row = findRow(pty, "second line");
      await pty.type(mouse(0, 5, row) + mouse(32, 40, row) + mouse(0, 40, row, "m"));
      await pty.waitFor(/Copied selection: \d+ characters\./);
      await pty.hit("ctrl+t", "your messages");
      await pty.type(click(10, findRow(pty, " Items ")));
      await pty.waitFor("Items: ");
    }));
});
