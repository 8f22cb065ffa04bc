/** Whether the files of a folder are used, tested with the real program. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { cli, sandbox, type Sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { idle, openProgram } from "../../ui/program.ts";
import { start } from "../../ui/pty.ts";

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

test("without a screen nothing of the folder is used, in a clear line; --trust uses it once", async () => {
  const box = await newBox();
  const notice = "Not used, because this folder is not trusted: AGENTS.md, git status.";
  expect(await ask(box)).toMatchObject({ code: 0, err: expect.stringContaining(notice) });
  const log = await logText(box);
  expect(log).not.toMatch(/llama|Git:/);
  expect(await Bun.file(join(box.home, "trust.json")).exists()).toBe(false);
  expect((await ask(box, "--trust")).err).not.toContain("trusted");
  expect(await logText(box)).toMatch(/llama[^]*Git: branch pasture|Git: branch pasture[^]*llama/);
  expect((await ask(box)).err).toContain(notice);
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

const question = "Do you trust the files in this folder?";
/** The question takes keys. */
const answers = "❯ No, continue without them";

const open = (box: Sandbox, wanted: string | RegExp, ...flags: string[]) =>
  openProgram({
    cwd: box.project,
    env: box.env,
    args: ["--offline", ...flags],
    wanted,
    isTrusted: false,
  });

test.each([
  ["y", "trusted"],
  ["n", "untrusted"],
  ["enter", "untrusted"],
])("the first start asks; %s is kept as %s and not asked again", async (key, decision) => {
  const box = await newBox();
  const first = await open(box, answers);
  expect(first.screen()).toContain(question);
  expect(first.screen()).toContain(box.project);
  await first.press(key);
  await first.waitFor(idle);
  await first.type("what can you do?\r");
  // The empty screen names the offline model, too.
  await first.waitFor((now) => now.includes("❯ what can you do?") && idle.test(now));
  await first.press("ctrl+d");
  expect(await first.exited).toBe(0);
  const kept: unknown = JSON.parse(await readFile(join(box.home, "trust.json"), "utf8"));
  expect(kept).toEqual({ folders: { [box.project]: decision }, asks: {} });
  expect((await logText(box)).includes("llama")).toBe(decision === "trusted");
  const second = await open(box, idle);
  expect(second.output()).not.toContain(question);
  expect(second.output().includes("Not used")).toBe(decision === "untrusted");
});

test("a signal while the question is shown ends the program; going on draws it again", async () => {
  const screen = await open(await newBox(), answers);
  await new Promise<void>((done) => screen.terminal.write("\x1b[H\x1b[2J", done));
  screen.kill("SIGCONT");
  await screen.waitFor(answers);
  screen.kill("SIGTERM");
  expect(await screen.exited).toBe(143);
  expect(screen.output()).toEndWith("\u001b[?1049l");
});

test("a screen reader gets the question in lines", async () => {
  const box = await newBox();
  const screen = await open(box, "Type yes to trust them", "--screen-reader");
  await screen.type("yes\r");
  await screen.waitFor(/offline/);
  expect(await readFile(join(box.home, "trust.json"), "utf8")).toContain('"trusted"');
});

test("letters typed before the question appears do not answer it; Ctrl-C leaves", async () => {
  const box = await newBox();
  const pty = start([cli, "--offline"], { cwd: box.project, env: box.env, isCooked: true });
  await pty.type("yyy\r");
  await pty.waitFor(answers);
  await pty.press("ctrl+c");
  expect(await pty.exited).toBe(130);
  expect(await Bun.file(join(box.home, "trust.json")).exists()).toBe(false);
  await pty.close();
});
