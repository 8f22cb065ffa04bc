/** Commands in the background, in the real program. */

import { afterAll, expect, test } from "bun:test";
import { call, say, startFakeApi } from "../../fake-api/index.ts";
import { idle, program } from "../program.ts";

const on = await program("background");
const api = startFakeApi();
const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" };
afterAll(async () => {
  await on.remove();
  await api.stop();
});

test("a command in the background is counted, listed with its last line, read and stopped", async () => {
  const command = "for n in $(seq 50); do echo line $n; done; sleep 600";
  const input = { command, run_in_background: true };
  api.next({ content: [call("Bash", input)] }, say("It runs."));
  const pty = await on.open({ env, args: ["--permission-mode", "bypass"], rows: 32 });
  await pty.type("start it\r");
  const screen = await pty.waitFor(
    (now) => now.includes("1 command in the background") && now.includes("It runs."),
  );
  // The part that tells the model how to read the output is not shown to the user.
  expect(screen).not.toContain("BashOutput");
  expect(screen).toMatch(/Bash for n in .* in the background/);
  await pty.type("/tasks\r");
  const list = await pty.waitFor("│ line 50");
  expect(list).toMatch(/○ for n in .* running, \d+ B/);
  await pty.press("enter");
  await pty.waitFor(/line 49\n +line 50\n.*r reload/);
  await pty.press("escape");
  await pty.waitFor("x stop");
  await pty.type("x");
  await pty.waitFor(/● for n in .* killed, \d+ B/);
  await pty.waitFor((now) => !now.includes("in the background · /tasks"));
  await pty.type("x");
  await pty.waitFor("The command has already ended.");
  await pty.press("tab");
  await pty.waitFor(/❯ Read the output of bash_1/);
  await pty.close();
});

test("Ctrl-B sends the running command to the background, and lists those there otherwise", async () => {
  api.next({ content: [call("Bash", { command: "echo begun; sleep 600" })] }, say("Waiting."));
  const pty = await on.open({ env, args: ["--permission-mode", "bypass"], rows: 32 });
  await pty.press("ctrl+b");
  const none = await pty.waitFor("sends the running command here");
  expect(none).not.toContain("x stop");
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("sends the running") && idle.test(now));
  await pty.type("wait\r");
  await pty.waitFor("│ begun");
  await pty.press("ctrl+b");
  await pty.waitFor(
    (now) => now.includes("Waiting.") && now.includes("1 command in the background"),
  );
  await pty.press("ctrl+b");
  await pty.waitFor(/○ echo begun/);
  await pty.press("x");
  await pty.waitFor(/● echo begun.* killed/);
  await pty.close();
});
