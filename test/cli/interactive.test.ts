/** The real program in a real pseudo-terminal. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cli, sandbox, type Sandbox } from "../bin.ts";
import { start, type Pty } from "../tui/pty.ts";

const boxes: Sandbox[] = [];
afterAll(() => Promise.all(boxes.map((box) => box.remove())));

async function newBox(): Promise<Sandbox> {
  const box = await sandbox("interactive");
  boxes.push(box);
  return box;
}

async function open(box: Sandbox, args: string[] = [], env = {}): Promise<Pty> {
  const pty = start([cli, "--offline", ...args], {
    cwd: box.project,
    env: { ...box.env, ...env },
  });
  await pty.waitFor("F1 help");
  return pty;
}

async function logText(box: Sandbox): Promise<string> {
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home));
  return (await Promise.all(files.map((file) => readFile(join(box.home, file), "utf8")))).join("");
}

test("a history file that cannot be written costs a word, not the screen", async () => {
  const box = await newBox();
  await mkdir(join(box.home, "history.jsonl"), { recursive: true });
  const pty = await open(box);
  await pty.type("what can you do?\r");
  await pty.waitFor("not saved to the history");
  await pty.waitFor((screen) => screen.includes("offline model") && screen.includes("F1 help"));
  expect(await logText(box)).toContain("what can you do?");
  await pty.close();
}, 30_000);
