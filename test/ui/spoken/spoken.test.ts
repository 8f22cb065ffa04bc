/** Screen reader mode: Ink's own, on the normal screen. */

import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../../bin.ts";
import { start, type Pty } from "../pty.ts";
import { scriptedCommand } from "../../builds.ts";

/** A pause without keys after which a question takes answers. */
const quietMs = 500;

const root = await mkdtemp(join(tmpdir(), "spoken-"));
const bin = await folderWithBun(root);
afterAll(() => rm(root, { recursive: true, force: true }));

async function open(
  args: string[],
  more: Record<string, string> = {},
  isCooked = false,
): Promise<Pty> {
  const env = { HOME: root, MINI_CLAUDE_HOME: join(root, "home"), PATH: `${bin}:/usr/bin:/bin` };
  const pty = start([cli, "--offline", "--trust", ...args], {
    cwd: root,
    rows: 40,
    isCooked,
    env: { ...env, ...more },
  });
  await pty.waitFor(isCooked ? "is ready" : /is ready[^]*textbox: /);
  return pty;
}

/** No alternate screen, hidden cursor, colors or frames. */
function expectLinear(pty: Pty): void {
  for (const code of ["\x1b[?1049h", "\x1b[?25l", "\x1b[2J", "38;5;"]) {
    expect(pty.output()).not.toContain(code);
  }
  expect(pty.output()).not.toMatch(/[╭╮╰╯⠋⠙⠹█▓▒]|──/u);
}

test("narrates question, calls and answer; approvals are answered with letters", async () => {
  await Bun.write(join(root, "notes.txt"), "one\ntwo\n");
  const pty = await open(["--screen-reader"]);
  await pty.send("read notes.txt", "Agent runs: Read notes.txt");
  await pty.waitFor(/Result, \d+ lines:/);
  await pty.waitFor(/Agent says:[^]*The agent is done\.[^]*textbox: /);
  await pty.send('replace "two" with "zwei" in notes.txt', /radiogroup: [^]*\(selected\)/);
  await pty.waitFor("zwei");
  await pty.type("n");
  await pty.waitFor("Reason (optional):");
  await pty.send("not this one", /Result, an error[^]*not this one/);
  expect(await Bun.file(join(root, "notes.txt")).text()).toBe("one\ntwo\n");
  await pty.waitFor(/not this one[^]*The agent is done/);
  await pty.type("/context\r");
  expect(await pty.waitFor(/Context: .* tokens/)).toMatch(/^ ?system prompt /m);
  // In the kitty protocol: a lone Escape right before another key would mean Alt.
  await pty.type("\x1b[27u");
  await pty.send("# use tabs", "Added to the notes on this folder");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  expectLinear(pty);
  await pty.close();
});

test("INK_SCREEN_READER switches it on; Ctrl-C stops, twice quits", async () => {
  const pty = await open(["--permission-mode", "bypass"], { INK_SCREEN_READER: "true" });
  await pty.send("run `sleep 60`", "Agent runs: Bash sleep 60");
  await pty.hit("ctrl+c", "Stopped.");
  await pty.press("ctrl+c");
  await pty.press("ctrl+c");
  expect(await pty.exited).toBe(0);
  expectLinear(pty);
  await pty.close();
});

test("a lost connection ends it", async () => {
  const pty = await open(["--screen-reader"]);
  pty.hangUp();
  expect([0, 129]).toContain(await pty.exited);
  await pty.close();
});

test("a terminal that cannot move its cursor gets lines, and answers are typed as lines", async () => {
  const pty = await open([], { TERM: "dumb" }, true);
  await pty.send("read notes.txt", /Agent says:[^]*The agent is done\./);
  await pty.send('replace "two" with "zwei" in notes.txt', "Type y to allow it once");
  // It takes an answer after a pause, which begins when it is drawn, after it was said.
  const countLate = (): number => pty.output().split("Not taken").length;
  for (let isTaken = false; !isTaken;) {
    const late = countLate();
    await Bun.sleep(quietMs);
    await pty.send(
      "n not this one",
      () => countLate() > late || pty.output().includes("Result, an error"),
    );
    isTaken = countLate() === late;
  }
  await pty.waitFor(/Result, an error[^]*not this one[^]*The agent is done/);
  await pty.type("/context\r");
  expect(await pty.waitFor(/Context: .* tokens/)).toMatch(/^ ?system prompt /m);
  await pty.send("# use tabs", "Added to the notes on this folder");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  expect(pty.output()).not.toContain("\x1b");
  await pty.close();
});

test("a line typed as a question appears is neither its answer nor a message", async () => {
  const pty = start(scriptedCommand({ nowMs: 1_000_000 }), {
    isCooked: true,
    env: { TERM: "dumb" },
  });
  await pty.waitFor("is ready");
  await pty.send("ask rm", "Type y to allow it once");
  await pty.send("y", /\ny\nNot taken: the question came while you typed\./);
  expect(pty.screen()).not.toContain("done");
  await pty.close();
});
