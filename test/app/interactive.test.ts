/** Sessions on the screen: how each begins and ends. */

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, chmod, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../src/base/processes.ts";
import { say, startFakeApi } from "../fake-api/index.ts";
import { endProcesses } from "../in-process.ts";
import type { MemoryTerminal } from "../ui/memory.ts";
import { idle, program, type Program } from "../ui/program.ts";

const boxes: Program[] = [];
afterAll(() => Promise.all(boxes.map((box) => box.remove())));

async function newBox(settings: object = {}): Promise<Program> {
  const box = await program("interactive");
  boxes.push(box);
  await Bun.write(join(box.root, "home/settings.json"), JSON.stringify(settings));
  return box;
}

const offline = ["--offline"];

async function logText(box: Program): Promise<string> {
  const files = await Array.fromAsync(new Bun.Glob("home/sessions/*/*.jsonl").scan(box.root));
  return (await Promise.all(files.map((file) => readFile(join(box.root, file), "utf8")))).join("");
}

/** A program that the screen hands the terminal to. */
async function script(box: Program, name: string, lines: string[]): Promise<string> {
  const file = join(box.root, name);
  await writeFile(file, `#!/bin/sh\n${lines.join("\n")}\n`);
  await chmod(file, 0o700);
  return file;
}

/** Starts a long command and waits until its output is on the screen. */
async function atWork(box: Program): Promise<MemoryTerminal> {
  const terminal = await box.open({ args: [...offline, "--permission-mode", "bypass"] });
  await terminal.send("run `printf %s%s be gun; sleep 57`", "begun");
  return terminal;
}

const leave: [string, (terminal: MemoryTerminal) => Promise<void>, number][] = [
  ["SIGHUP", async (terminal) => terminal.kill("SIGHUP"), 129],
  ["SIGTERM", async (terminal) => terminal.kill("SIGTERM"), 143],
  ["SIGINT", async (terminal) => terminal.kill("SIGINT"), 130],
  ["Ctrl-D", (terminal) => terminal.press("ctrl+d"), 0],
];

test.each(leave)("%s in the middle of a call keeps its result", async (_, how, code) => {
  const box = await newBox();
  const terminal = await atWork(box);
  await how(terminal);
  expect(await terminal.exited).toBe(code);
  const lines = (await logText(box)).trim().split("\n");
  const result = lines.find((line) => line.includes('"type":"result"'));
  expect(result).toContain("begun");
  expect(terminal.output()).toMatch(/Resume with: .* --resume \d{8}-\d{6}-\w{6}/);
});

test("Ctrl-C pressed again quits, even if the first one put a message back into the prompt", async () => {
  const begun = join(tmpdir(), crypto.randomUUID());
  const command = `touch '${begun}'; sleep 57`;
  const box = await newBox({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] },
  });
  const terminal = await box.open({ args: offline });
  await terminal.type("what is here?\r");
  while (!existsSync(begun)) await Bun.sleep(10);
  await terminal.hit("ctrl+c", "❯ what is here?");
  await terminal.press("ctrl+c");
  expect(await terminal.exited).toBe(0);
});

test.each([
  ["ends on SIGTERM", ":", false],
  ["ignores SIGTERM", "trap '' TERM", true],
])("SIGTERM while an editor is open that %s", async (_, first, stays) => {
  const box = await newBox();
  const begun = join(box.root, "begun");
  const EDITOR = await script(box, "editor", [first, `echo $$ >'${begun}'`, "exec sleep 57"]);
  const terminal = await box.open({ args: offline, env: { EDITOR } });
  await terminal.type("a draft");
  await terminal.press("ctrl+g");
  const findEditor = async () => Number(await readFile(begun, "utf8").catch(() => ""));
  while ((await findEditor()) === 0) await Bun.sleep(10);
  const shown = terminal.output();
  terminal.kill("SIGTERM");
  expect(await terminal.exited).toBe(143);
  // The screen does not come back after it.
  const after = terminal.output().slice(shown.length);
  for (const code of ["\x1b[?1049h", "\x1b[?1004h"]) expect(after).not.toContain(code);
  const editor = await findEditor();
  expect(isRunning({ pid: editor, started: "" })).toBe(stays);
  if (stays) await endProcesses([editor]);
});

test("a second signal while it closes does not cut that short", async () => {
  const box = await newBox();
  const file = (name: string): string => join(box.root, name);
  const command = `touch '${file("closing")}'; until [ -e '${file("again")}' ]; do sleep 0.02; done`;
  const hooks = { SessionEnd: [{ hooks: [{ type: "command", command }] }] };
  await Bun.write(file("home/settings.json"), JSON.stringify({ hooks }));
  const terminal = await atWork(box);
  terminal.kill("SIGHUP");
  while (!existsSync(file("closing"))) await Bun.sleep(10);
  terminal.kill("SIGTERM");
  await Bun.write(file("again"), "");
  expect(await terminal.exited).toBe(129);
  expect(terminal.output()).toContain("Resume with: ");
});

test("a stream that is cut off by quitting keeps what had arrived", async () => {
  const box = await newBox();
  const api = startFakeApi();
  api.next(say("Half an answer and more", { cut: { afterBlocks: 0, by: "stall" } }));
  const terminal = await box.open({
    env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" },
  });
  await terminal.send("hello", "Half an");
  terminal.kill("SIGHUP");
  expect(await terminal.exited).toBe(129);
  expect(await logText(box)).toContain("Half an");
});

test("hooks learn why each session ends; the prompt of the command line opens the first", async () => {
  const ends = join(tmpdir(), crypto.randomUUID());
  const record = { hooks: [{ type: "command", command: `cat >> ${ends}; echo >> ${ends}` }] };
  const box = await newBox({ hooks: { SessionEnd: [record] } });
  const isIdle = (asked: string) => (screen: string) =>
    screen.includes(`❯ ${asked}`) && idle.test(screen);
  const terminal = await box.open({ args: [...offline, "what", "can you do?"] });
  await terminal.waitFor(isIdle("what can you do?"));
  await terminal.send(
    "/new",
    (screen) => !screen.includes("what can you do?") && idle.test(screen),
  );
  await terminal.send("who are you?", isIdle("who are you?"));
  await terminal.send("/sessions", /what can you do\?[^]* KB/);
  await terminal.send("what can", isIdle("what can you do?"));
  await terminal.press("ctrl+d");
  expect(await terminal.exited).toBe(0);
  const said = (await readFile(ends, "utf8")).matchAll(/"reason":"(\w+)"/g);
  expect([...said].map(([, reason]) => reason)).toEqual(["clear", "resume", "prompt_input_exit"]);
  await rm(ends);
});

test("problems with the settings or the log, and changed files, are reported at startup", async () => {
  const box = await newBox({ modle: "x", keys: { compct: ["f5"] } });
  const notes = Bun.file(join(box.folder, "notes.txt"));
  await notes.write("one\n");
  const before = await box.open({ args: offline });
  await before.send("read notes.txt", (screen) => screen.includes("1 line") && idle.test(screen));
  await before.close();
  await notes.write("one\ntwo\n");
  for await (const log of new Bun.Glob("home/sessions/*/*.jsonl").scan(box.root))
    await appendFile(join(box.root, log), '{"torn');
  const terminal = await box.open({ args: [...offline, "--continue"] });
  // Long paths wrap at different places in each run.
  const shown = terminal.screen().replace(/\s+/g, " ");
  for (const words of ["unknown setting “modle”", "is incomplete", "Changed on disk"])
    expect(shown).toContain(words);
  expect(shown.match(/unknown action “compct”/g)).toHaveLength(1);
  // A resumed session does not say again which model it uses.
  expect(shown).not.toContain("The built-in offline model");
});

test("what a command without the sandbox leaves running is named on leaving, however it was started", async () => {
  const box = await newBox();
  const terminal = await box.open({ args: [...offline, "--permission-mode", "bypass"] });
  const ways = [
    "setsid -f sleep 901",
    "(setsid sleep 902 &)",
    "nohup setsid sleep 903 > nohup.txt 2>&1 & disown",
    "sh -c 'setsid sh -c \"sleep 904 & sleep 904\" &'",
    'node -e \'require("child_process").spawn("sleep", ["905"], { detached: true, stdio: "ignore" }).unref()\'',
  ];
  for (const [at, way] of ways.entries())
    await terminal.send(
      `run \`${way}; echo do''ne-${at}\``,
      (shown) => shown.includes(`done-${at}`) && idle.test(shown),
    );
  await terminal.type("/exit\r");
  expect(await terminal.exited).toBe(0);
  const left = terminal
    .output()
    .replaceAll(/\s+/g, " ")
    .matchAll(/sleep \((\d+)\)/g);
  const ids = [...left].map(([, id]) => Number(id));
  expect(ids.length).toBeGreaterThanOrEqual(5);
  await endProcesses(ids);
});
