/** Screen reader mode: Ink's own, on the normal screen. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { call, say, startFakeApi } from "../../fake-api/index.ts";
import type { MemoryTerminal } from "../memory.ts";
import { program } from "../program.ts";
import { openScripted } from "../scripted.ts";

/** A question takes answers after this pause, in milliseconds. */
const quietMs = 500;

const on = await program("spoken");
afterAll(on.remove);

const open = (args: string[], env: Record<string, string> = {}) =>
  on.open({ args: ["--offline", ...args], env, rows: 40, wanted: /is ready[^]*textbox: / });

/** No alternate screen, hidden cursor, colors or frames. */
function expectLinear(pty: MemoryTerminal): void {
  for (const code of ["\x1b[?1049h", "\x1b[?25l", "\x1b[2J", "38;5;"]) {
    expect(pty.output()).not.toContain(code);
  }
  expect(pty.output()).not.toMatch(/[╭╮╰╯⠋⠙⠹█▓▒]|──/u);
}

test("narrates question, calls and answer; approvals are answered with letters", async () => {
  const notes = Bun.file(join(on.folder, "notes.txt"));
  await notes.write("one\ntwo\n");
  const pty = await open(["--screen-reader"]);
  await pty.send("read notes.txt", "Agent runs: Read notes.txt");
  await pty.waitFor(/Result, \d+ lines:/);
  await pty.waitFor(/Agent says:[^]*The agent is done\.[^]*textbox: /);
  await pty.send('replace "two" with "zwei" in notes.txt', /radiogroup: /);
  await pty.hit("tab", "(selected)");
  await pty.waitFor("zwei");
  await pty.type("n");
  await pty.waitFor("Reason (optional):");
  await pty.send("not this one", /Result, an error[^]*not this one/);
  expect(await notes.text()).toBe("one\ntwo\n");
  await pty.waitFor(/not this one[^]*The agent is done/);
  await pty.type("/context\r");
  expect(await pty.waitFor(/Context: .* tokens/)).toMatch(/^ ?system prompt /m);
  // In the kitty protocol: a lone Escape right before another key would mean Alt.
  await pty.type("\x1b[27u");
  await pty.send("# use tabs", "Added to the notes");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  expectLinear(pty);
});

test("INK_SCREEN_READER switches it on; Ctrl-C stops, twice quits", async () => {
  const pty = await open(["--permission-mode", "bypass"], { INK_SCREEN_READER: "true" });
  await pty.send("run `sleep 60`", "Agent runs: Bash sleep 60");
  await pty.hit("ctrl+c", "Stopped.");
  expect(await pty.waitFor(/Stopped\.[^]*textbox: Ask/)).not.toMatch(/Stopped\.[^]*Stopped\./);
  await pty.press("ctrl+c");
  await pty.press("ctrl+c");
  expect(await pty.exited).toBe(0);
  expectLinear(pty);
});

const dumb = { env: { TERM: "dumb" }, isCooked: true, wanted: "is ready" };

test("a terminal that cannot move its cursor gets lines, and answers are typed as lines", async () => {
  const pty = await on.open({ ...dumb, args: ["--offline"], rows: 40 });
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
  // A panel is said and closed: there are no keys to say.
  expect(pty.output()).not.toContain("Esc close");
  await pty.send("# use tabs", "Added to the notes");
  await pty.send("/mode plan", "Permission mode: plan.");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  expect(pty.output()).not.toContain("\x1b");
});

test("a question of the agent is said with its numbered answers", async () => {
  const api = startFakeApi();
  const options = [{ label: "Red" }, { label: "Blue", description: "calm" }];
  const questions = [{ question: "Which color?", options }];
  api.next([call("AskUserQuestion", { questions })], say("Noted."));
  const env = { ...dumb.env, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "key" };
  const pty = await on.open({ ...dumb, env });
  await pty.send("go", "Type a number, your own words, or n not to answer.");
  expect(pty.screen()).toMatch(/^ *1: Red\n *2: Blue, calm$/m);
  await pty.close();
  await api.stop();
});

test("a line typed as a question appears is neither its answer nor a message; under a draft it is the answer", async () => {
  const pty = await openScripted({ nowMs: 1_000_000 }, dumb);
  await pty.send("hang rm", "thinking");
  await pty.send("a draft", "Queued messages: 1.");
  await pty.type("\x03");
  await pty.waitFor(/Not sent: a draft[^]*Type y to allow it once/);
  expect(pty.screen()).toContain("a to allow it for this session (run rm)");
  await pty.send("y", "The agent is done.");
  // Sends the draft.
  await pty.send("", /done\.[^]*done\./);
  await pty.send("ask rm", /draft[^]*Type y to allow it once[^]*Type y to allow it once/);
  await pty.send("y", /\ny\nNot taken: the question came while you typed\./);
  expect(pty.screen()).toEndWith("Type your answer now.");
});
