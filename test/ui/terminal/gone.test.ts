/** A terminal that is lost, taken by a shell, or lent to an editor. */

import { afterAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cli } from "../../bin.ts";
import { scriptedCommand } from "../../builds.ts";
import { program } from "../program.ts";
import { start } from "../pty.ts";

const on = await program("gone");
afterAll(on.remove);

/** The program on a real terminal, with an editor of these lines. */
async function open(args: string[], lines: string[], ready: string) {
  const editor = join(on.root, `editor-${lines.length}`);
  await Bun.write(editor, `#!/bin/sh\n${lines.join("\n")}\n`);
  chmodSync(editor, 0o700);
  const command = [cli, "--offline", "--trust", ...args];
  const pty = start(command, { cwd: on.folder, env: { ...on.env, EDITOR: editor } });
  await pty.waitFor(ready);
  return pty;
}

/** Processes whose command line contains this text. */
async function running(words: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.replaceAll("\0", " ").includes(words));
}

test("a resize writes nothing over an editor, for screen readers either; a lost connection ends the running command and keeps the session", async () => {
  const editor = ["printf opened", "sleep 0.3", "printf closed"];
  const pty = await open(["--screen-reader", "--permission-mode", "bypass"], editor, "ready");
  await pty.hit("ctrl+g", "opened");
  pty.resize(70, 20);
  await pty.waitFor(() => pty.output().includes("closed"));
  expect(pty.output()).toContain("openedclosed");
  const words = `sleep 4${process.pid}`;
  await pty.type(`run \`${words}\`\r`);
  while ((await running(words)).length === 0) await Bun.sleep(20);
  pty.hangUp();
  expect(await pty.exited).toBe(129);
  while ((await running(words)).length > 0) await Bun.sleep(20);
  const home = join(on.root, "home");
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(home));
  expect(files).toHaveLength(1);
  expect(await Bun.file(join(home, files[0] ?? "")).text()).toContain(words);
  await pty.close();
});

test("Ctrl-Z returns to the shell, and fg restores the screen", async () => {
  const pty = start(["bash", "--norc", "-i"], {
    cols: 80,
    rows: 20,
    env: { PS1: "shell> ", PATH: on.env["PATH"] },
  });
  await pty.waitFor("shell>");
  await pty.send(`${scriptedCommand().join(" ")}`, "❯ Ask");
  await pty.type("half a thought");
  await pty.waitFor("half a thought");
  await pty.hit("ctrl+z", "Stopped");
  expect(pty.terminal.buffer.active.type).toBe("normal");
  await pty.send("echo in between; fg", "❯ half a thought");
  expect(pty.terminal.buffer.active.type).toBe("alternate");
  await pty.type(" more");
  await pty.waitFor("❯ half a thought more");
  await pty.press("ctrl+c", "ctrl+d");
  await pty.waitFor(() => pty.terminal.buffer.active.type === "normal");
  await pty.close();
});

test("a late answer of the terminal reaches neither an editor nor the shell, and Ctrl-C in the editor is the editor's", async () => {
  const seen = join(on.root, "seen");
  // Reads what comes until nothing has come for a fifth of a second. The terminal's Ctrl-C is a signal to
  // all of its programs, as with vi.
  const read = [
    "trap 'stty icanon echo; exit 0' INT",
    "stty -icanon -echo min 0 time 2",
    `cat > ${seen}`,
  ];
  const wait = ["echo editing", "while :; do sleep 0.1; done"];
  const pty = await open([], [...read, ...wait], "❯ Ask");
  await pty.beforeAnswer(() => pty.press("ctrl+g"));
  await pty.waitFor("editing");
  expect(await Bun.file(seen).text()).toBe("");
  await pty.type("\x03");
  // The screen is back.
  await pty.waitFor(() => pty.output().split("\x1b[?1049h").length === 3);
  await pty.beforeAnswer(() => pty.press("ctrl+d"));
  expect(await pty.exited).toBe(0);
  expect(pty.screen()).toBe("editing");
  await pty.close();
});
