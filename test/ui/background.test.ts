/** A running command, moved to the background by a key: the agent can read and stop it. */

import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../bin.ts";
import { call, say, startFakeApi } from "../fake-api/index.ts";
import { start } from "./pty.ts";

const root = await mkdtemp(join(tmpdir(), "background-"));
const bin = await folderWithBun(root);
afterAll(() => rm(root, { recursive: true, force: true }));

const words = `sleep 3${process.pid}`;

test("a silent command moves to the background, and the model is told and stops it; so does the user's own", async () => {
  const api = startFakeApi({ key: "key" });
  api.next(
    { content: [call("Bash", { command: words })] },
    { content: [call("KillShell", { shell_id: "bash_1" })] },
    say("It is ended."),
  );
  const pty = start([cli, "--trust", "--permission-mode", "bypass"], {
    cwd: root,
    env: {
      HOME: root,
      MINI_CLAUDE_HOME: join(root, "home"),
      PATH: `${bin}:/usr/bin:/bin`,
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: api.url,
    },
  });
  await pty.waitFor("❯ Ask");
  await pty.type("go\r");
  await pty.waitFor((now) => now.includes(`Bash ${words}`) && now.includes("Running"));
  await pty.press("ctrl+b");
  await pty.waitFor("It is ended.");
  const sent = JSON.stringify(api.requests.map(({ body }) => body));
  expect(sent).toContain("Running in the background as bash_1");
  expect(sent).toContain("Killed bash_1");
  await pty.waitFor("❯ Ask");
  await pty.type(`!echo to look at; ${words}\r`);
  await pty.waitFor(/Esc stop · to look at/);
  await pty.press("ctrl+b");
  await pty.waitFor("shell: echo to look at");
  await pty.waitFor("❯ Ask");
  expect(pty.screen()).not.toContain("BashOutput");
  await pty.press("ctrl+b");
  await pty.waitFor("○ echo to look at");
  await pty.press("escape");
  await pty.waitFor((now) => !now.includes("○ echo"));
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
  await pty.close();
  await api.stop();
});
