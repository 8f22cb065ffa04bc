import { afterAll, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, type CommandOptions } from "../../../src/extensions/hooks/command-hook.ts";

const root = mkdtempSync(join(tmpdir(), "hooks-"));
const cwd = join(root, "project");
/** The files that hold the commands' output while they run. */
const temporary = join(root, "tmp");
mkdirSync(cwd);
mkdirSync(temporary);
const before = process.env.TMPDIR;
process.env.TMPDIR = temporary;
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(root, { recursive: true, force: true });
});

const run = (command: string, options: Partial<CommandOptions> = {}) =>
  runCommand(command, {
    cwd,
    env: { PATH: "/usr/bin:/bin", MARK: "mark" },
    input: "",
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...options,
  });

test("a command has its input, its folder and its environment, and nothing else", async () => {
  expect(
    await run('cat; echo " $PWD $MARK $HOME "; echo why >&2; exit 3', { input: "in" }),
  ).toEqual({
    code: 3,
    stdout: `in ${cwd} mark`,
    stderr: "why",
  });
});

test("a program left in the background does not hold up the hook", async () => {
  const left = join(cwd, "left");
  const { stdout } = await run(`(sleep 60; touch ${left}) & echo $! >pid; echo done`);
  expect(stdout).toBe("done");
  process.kill(Number(await readFile(join(cwd, "pid"), "utf8")));
  expect(existsSync(left)).toBe(false);
});

test("a command that takes too long is stopped with all that it started, and rejects", async () => {
  const pid = join(cwd, "stray");
  // On a busy machine it may not have started when the timeout expires.
  for (let timeoutMs = 50; !existsSync(pid); timeoutMs *= 4) {
    const slow = run("sleep 61 & echo $! >new; mv new stray; wait", { timeoutMs });
    await expect(slow).rejects.toThrow(`it was stopped after ${timeoutMs / 1000} s`);
  }
  const stray = Number(await readFile(pid, "utf8"));
  // It has ended, or is a zombie that its new parent has not reaped yet.
  const isRunning = async (): Promise<boolean> => {
    const state = await readFile(`/proc/${stray}/stat`, "utf8").catch(() => ") Z");
    return !state.includes(") Z");
  };
  while (await isRunning()) await Bun.sleep(1);
});

test("a signal stops the command", async () => {
  const stop = new AbortController();
  const started = join(cwd, "started");
  const result = run(`touch ${started}; sleep 62`, { signal: stop.signal });
  while (!existsSync(started)) await Bun.sleep(1);
  stop.abort();
  expect((await result).code).toBe(137);
  expect((await run("sleep 63", { signal: AbortSignal.abort() })).code).toBe(137);
});

test("a signal after the command has ended kills nothing", async () => {
  const stop = new AbortController();
  await run("true", { signal: stop.signal });
  const kill = spyOn(process, "kill");
  stop.abort();
  expect(kill).not.toHaveBeenCalled();
  kill.mockRestore();
});

test("the time limit of a command that has ended keeps no program running", async () => {
  const file = JSON.stringify(
    join(import.meta.dir, "../../../src/extensions/hooks/command-hook.ts"),
  );
  const script = `import { runCommand } from ${file};
    const { signal } = new AbortController();
    await runCommand("true", { cwd: "/", env: {}, input: "", timeoutMs: 3_600_000, signal });`;
  const child = Bun.spawn([process.execPath, "-e", script], { timeout: 200_000 });
  expect(await child.exited).toBe(0);
});

test("only the start of a long output is read", async () => {
  const { stdout } = await run("head -c 1000000 /dev/zero | tr '\\0' x");
  expect(stdout).toBe("x".repeat(100_000));
});

test("a hook leaves no temporary files behind", async () => {
  await run("echo done");
  expect(readdirSync(temporary)).toEqual([]);
});

test("long output is cut between characters", async () => {
  const { stdout } = await run("printf x; for i in {1..30000}; do printf 🙂; done");
  expect(stdout).toBe(`x${"🙂".repeat(24_999)}`);
});
