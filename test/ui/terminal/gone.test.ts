/** A lost terminal, and a suspended program. */

import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli, folderWithBun } from "../../bin.ts";
import { start } from "../pty.ts";
import { scriptedCommand } from "../../builds.ts";

const root = await mkdtemp(join(tmpdir(), "gone-"));
const bin = await folderWithBun(root);
afterAll(() => rm(root, { recursive: true, force: true }));

/** Processes whose command line contains this text. */
async function running(words: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.replaceAll("\0", " ").includes(words));
}

test("a lost connection ends the running command and the screen, and keeps the session", async () => {
  const home = join(root, "home");
  const env = { HOME: root, MINI_CLAUDE_HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  const pty = start([cli, "--offline", "--trust", "--permission-mode", "bypass"], {
    cwd: root,
    env,
  });
  await pty.waitFor("❯ Ask");
  const words = `sleep 4${process.pid}`;
  await pty.type(`run \`${words}\`\r`);
  while ((await running(words)).length === 0) await Bun.sleep(20);
  pty.hangUp();
  expect(await pty.exited).toBe(129);
  while ((await running(words)).length > 0) await Bun.sleep(20);
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(home));
  expect(files).toHaveLength(1);
  expect(await Bun.file(join(home, files[0] ?? "")).text()).toContain(words);
  await pty.close();
});

test("Ctrl-Z returns to the shell, and fg restores the screen", async () => {
  const pty = start(["bash", "--norc", "-i"], {
    cols: 80,
    rows: 20,
    env: { PS1: "shell> ", PATH: `${bin}:/usr/bin:/bin` },
  });
  await pty.waitFor("shell>");
  await pty.type(`${scriptedCommand().join(" ")}\r`);
  await pty.waitFor("❯ Ask");
  await pty.type("half a thought");
  await pty.waitFor("half a thought");
  await pty.press("ctrl+z");
  await pty.waitFor("Stopped");
  expect(pty.terminal.buffer.active.type).toBe("normal");
  await pty.type("echo in between; fg\r");
  await pty.waitFor("❯ half a thought");
  expect(pty.terminal.buffer.active.type).toBe("alternate");
  await pty.type(" more");
  await pty.waitFor("❯ half a thought more");
  await pty.press("ctrl+c", "ctrl+d");
  await pty.waitFor(() => pty.terminal.buffer.active.type === "normal");
  await pty.close();
});

test("redraws everything when resumed after an external stop", async () => {
  const pty = start(scriptedCommand(), { cols: 80, rows: 12 });
  await pty.type("say a word\r");
  await pty.waitFor((now) => now.includes("a word") && now.includes("❯ Ask"));
  pty.kill("SIGSTOP");
  // Another program overwrites the screen.
  await new Promise<void>((done) => pty.terminal.write("\x1b[2J\x1b[Hrubbish", done));
  await pty.waitFor("rubbish");
  pty.kill("SIGCONT");
  await pty.waitFor((now) => now.includes("a word") && !now.includes("rubbish"));
  await pty.close();
});
