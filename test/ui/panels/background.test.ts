/** Commands in the background. */

import { expect, test } from "bun:test";
import { call, say } from "../../fake-api/index.ts";
import { join } from "node:path";
import { idle, programWithApi } from "../program.ts";

/** The list is read again once a second. */
const quickMs = 1_000;
const { on, api, env } = await programWithApi("background");

test("a command in the background is counted, listed with its last line, read and stopped", async () => {
  const command =
    "for n in $(seq 50); do echo line $n; done; until [ -e go ]; do sleep 0.02; done; echo more; sleep 600";
  const input = { command, run_in_background: true };
  api.next({ content: [call("Bash", input)] }, say("It runs."));
  const pty = await on.open({ env, args: ["--permission-mode", "bypass"], rows: 32, quickMs });
  const screen = await pty.send(
    "start it",
    (now) => now.includes("1 command in the background") && now.includes("It runs."),
  );
  // The part that tells the model how to read the output is not shown to the user.
  expect(screen).not.toContain("BashOutput");
  expect(screen).toMatch(/Bash for n in .* in the background/);
  const list = await pty.send("/tasks", "│ line 50");
  expect(list).toMatch(/○ for n in .* running, \d+ B/);
  await pty.hit("enter", /line 49\n +line 50\n.*back to the list/);
  // What it prints from now on is shown as it comes.
  await Bun.write(join(on.folder, "go"), "");
  await pty.waitFor(/line 50\n +more\n/);
  await pty.hit("escape", "x stop");
  await pty.type("x");
  await pty.waitFor(/● for n in .* killed, \d+ B/);
  await pty.waitFor((now) => !now.includes("in the background · /tasks"));
  await pty.type("x");
  await pty.waitFor("The command has already ended.");
});

test("Ctrl-B sends the running command to the background, and lists those there otherwise", async () => {
  api.next({ content: [call("Bash", { command: "echo begun; sleep 600" })] }, say("Waiting."));
  const pty = await on.open({ env, args: ["--permission-mode", "bypass"], rows: 32, quickMs });
  const none = await pty.hit("ctrl+b", "sends the running command here");
  expect(none).not.toContain("x stop");
  await pty.hit("escape", (now) => !now.includes("sends the running") && idle.test(now));
  await pty.send("wait", "│ begun");
  await pty.hit(
    "ctrl+b",
    (now) => now.includes("Waiting.") && now.includes("1 command in the background"),
  );
  expect(JSON.stringify(api.requests.at(-1)?.body)).toContain("Running in the background as");
  await pty.hit("ctrl+b", /○ echo begun/);
  await pty.hit("x", /● echo begun.* killed/);
});
