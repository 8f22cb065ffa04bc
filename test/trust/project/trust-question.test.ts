/** Whether the files of a folder are used, tested with the real program. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { cli, sandbox, type Sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import type { MemoryTerminal } from "../../ui/memory.ts";
import type { Emulator } from "../../ui/emulator.ts";
import { openProgram } from "../../ui/program.ts";
import { start, type Pty } from "../../ui/pty.ts";

const boxes: Sandbox[] = [];
afterAll(() => Promise.all(boxes.map((box) => box.remove())));

/** A repository with instructions. */
async function newBox(): Promise<Sandbox> {
  const box = inProcess(await sandbox("trust"));
  boxes.push(box);
  await Bun.write(join(box.project, "AGENTS.md"), "Always say hello to the llama.");
  await Bun.spawn(["git", "init", "-q", "-b", "pasture"], { cwd: box.project }).exited;
  await Bun.spawn(
    ["git", "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "x"],
    { cwd: box.project },
  ).exited;
  return box;
}

const ask = (box: Sandbox, ...flags: string[]) =>
  box.run(["--offline", "-p", ...flags, "what can you do?"]);

async function logText(box: Sandbox): Promise<string> {
  const files = await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home));
  return (await Promise.all(files.map((file) => readFile(join(box.home, file), "utf8")))).join("");
}

test("without a screen nothing of the folder is used, in a clear line", async () => {
  const box = await newBox();
  const { code, err } = await ask(box);
  expect(code).toBe(0);
  expect(err).toContain("Not used, because this folder is not trusted: AGENTS.md, git status.");
  expect(err).toContain("--trust");
  const log = await logText(box);
  expect(log).not.toContain("llama");
  expect(log).not.toContain("Git:");
  expect(await Bun.file(join(box.home, "trust.json")).exists()).toBe(false);
});

test("--trust uses it for one run", async () => {
  const box = await newBox();
  expect((await ask(box, "--trust")).err).not.toContain("trusted");
  const log = await logText(box);
  expect(log).toContain("llama");
  expect(log).toContain("Git: branch pasture");
  expect((await ask(box)).err).toContain("Not used");
});

test("mini-claude trust decides for the repository, lists and forgets", async () => {
  const box = await newBox();
  const inner = join(box.project, "inner");
  await mkdir(inner);
  expect((await box.run(["trust", "inner"])).out).toBe(`Trusted: ${box.project}\n`);
  expect((await stat(join(box.home, "trust.json"))).mode & 0o777).toBe(0o600);
  expect((await ask(box)).err).not.toContain("Not used");
  expect(await logText(box)).toContain("llama");
  expect((await box.run(["trust", "--list"])).out).toBe(`trusted    ${box.project}\n`);
  expect((await box.run(["trust", "--remove"])).out).toBe(`Removed: ${box.project}\n`);
  expect((await box.run(["trust", "--list"])).out).toBe("No decisions yet.\n");
  expect(await box.run(["trust", "missing"])).toEqual({
    code: 2,
    out: "",
    err: `mini-claude: There is no folder ${join(box.project, "missing")}.\n`,
  });
});

const open = (box: Sandbox, ...flags: string[]) =>
  openProgram({
    cwd: box.project,
    env: box.env,
    args: ["--offline", ...flags],
    isTrusted: false,
    wanted: /./,
  });

const question = "Do you trust the files in this folder?";

/** Waits until the question takes keys. */
const untilItAnswers = (pty: Emulator) => pty.waitFor("❯ No, continue without them");

async function converse(pty: MemoryTerminal): Promise<void> {
  await pty.waitFor("❯ Ask");
  await pty.type("what can you do?\r");
  // The empty screen names the offline model, too.
  await pty.waitFor((now) => now.includes("❯ what can you do?") && now.includes("❯ Ask"));
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
}

test.each([
  ["y", "trusted"],
  ["n", "untrusted"],
  ["enter", "untrusted"],
])("the first start asks; %s is kept as %s and not asked again", async (key, decision) => {
  const box = await newBox();
  const first = await open(box);
  const screen = await first.waitFor(question);
  expect(screen).toContain(box.project);
  await untilItAnswers(first);
  await first.press(key);
  await converse(first);
  const kept: unknown = JSON.parse(await readFile(join(box.home, "trust.json"), "utf8"));
  expect(kept).toEqual({ folders: { [box.project]: decision }, asks: {} });
  expect((await logText(box)).includes("llama")).toBe(decision === "trusted");
  const second = await open(box);
  await second.waitFor("❯ Ask");
  expect(second.output()).not.toContain(question);
  expect(second.output().includes("Not used")).toBe(decision === "untrusted");
  await second.close();
});

test("letters typed before the question appears do not answer it; Ctrl-C leaves", async () => {
  const box = await newBox();
  const pty = start([cli, "--offline"], { cwd: box.project, env: box.env, isCooked: true });
  await pty.type("yyy\r");
  await pty.waitFor(question);
  await untilItAnswers(pty);
  await pty.press("ctrl+c");
  expect(await pty.exited).toBe(130);
  expect(await Bun.file(join(box.home, "trust.json")).exists()).toBe(false);
  expect(pty.output()).toEndWith("\u001b[?1049l");
  await pty.close();
});

test("a signal while the question is being shown restores the terminal", async () => {
  const box = await newBox();
  const [enter, leave] = ["\u001b[?1049h", "\u001b[?1049l"];
  let output = "";
  const pty: Pty = start([cli, "--offline"], {
    cwd: box.project,
    env: box.env,
    onOutput(bytes) {
      const before = output;
      output += Buffer.from(bytes).toString("latin1");
      if (output.includes(enter) && !before.includes(enter)) pty.kill("SIGTERM");
    },
  });
  expect(await pty.exited).toBe(143);
  expect(pty.output()).toEndWith(leave);
  await pty.close();
});

test("a screen reader gets the question in lines", async () => {
  const box = await newBox();
  const pty = await open(box, "--screen-reader");
  await pty.waitFor("Type yes to trust them");
  await pty.type("yes\r");
  await pty.waitFor((screen) => /offline/.test(screen));
  const kept = await readFile(join(box.home, "trust.json"), "utf8");
  expect(kept).toContain('"trusted"');
  await pty.close();
});

test("the question is drawn again when the program goes on after a stop from outside", async () => {
  const pty = await open(await newBox());
  await untilItAnswers(pty);
  await new Promise<void>((done) => pty.terminal.write("\x1b[H\x1b[2J", done));
  pty.kill("SIGCONT");
  await untilItAnswers(pty);
  await pty.close();
});
