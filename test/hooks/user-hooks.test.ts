import { afterAll, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userHooks, type UserHooks } from "../../src/hooks/user-hooks.ts";

const root = mkdtempSync(join(tmpdir(), "hooks-"));
const cwd = join(root, "project");
/** Where the hooks keep their output while they run. */
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
const env = { PATH: "/usr/bin:/bin", MARK: "mark" };

const pre = (preCompact: string, timeoutMs = 30_000): NonNullable<UserHooks["preCompact"]> => {
  const hook = userHooks({ preCompact }, { cwd, env, timeoutMs }).preCompact;
  if (!hook) throw new Error("there is a hook");
  return hook;
};

test("without commands there are no hooks", () => {
  expect(userHooks({}, { cwd, env })).toEqual({});
  expect(userHooks({ preCompact: "" }, { cwd, env })).toEqual({});
});

test("preCompact: what it prints becomes instructions, and it sees what triggered it", async () => {
  expect(await pre('echo " keep $MINI_CLAUDE_TRIGGER in $PWD $MARK "')("idle")).toEqual({
    instructions: `keep idle in ${cwd} mark`,
  });
  expect(await pre("true")("idle")).toEqual({});
  expect(await pre("echo progress >&2")("idle")).toEqual({});
});

test("preCompact: a failure is a veto, with stderr, stdout or the exit code as its reason", async () => {
  expect(await pre("echo out; echo why >&2; exit 1")("key")).toEqual({ veto: "why" });
  expect(await pre("echo out; exit 1")("key")).toEqual({ veto: "out" });
  expect(await pre("exit 7")("key")).toEqual({ veto: "exit code 7" });
});

test("a program left in the background does not hold the compaction", async () => {
  const left = join(cwd, "left");
  const hook = pre(`(sleep 60; touch ${left}) & echo $! >pid; echo done`, 20_000);
  expect(await hook("auto")).toEqual({ instructions: "done" });
  process.kill(Number(await readFile(join(cwd, "pid"), "utf8")));
  expect(existsSync(left)).toBe(false);
});

test("a command that takes too long is stopped with all that it started, and rejects", async () => {
  const hook = pre("sleep 61 & echo $! >stray; wait", 50);
  await expect(hook("auto")).rejects.toThrow("stopped after 0.05 s");
  const stray = Number(await readFile(join(cwd, "stray"), "utf8"));
  // Gone, or a zombie that its new parent has not reaped yet.
  const isRunning = async (): Promise<boolean> => {
    const state = await readFile(`/proc/${stray}/stat`, "utf8").catch(() => ") Z");
    return !state.includes(") Z");
  };
  while (await isRunning()) await Bun.sleep(1);
});

test("a stopped compaction stops its hook", async () => {
  const stop = new AbortController();
  const started = join(cwd, "started");
  const result = pre(`touch ${started}; sleep 62`)("key", stop.signal);
  while (!existsSync(started)) await Bun.sleep(1);
  stop.abort();
  expect(await result).toEqual({ veto: "exit code 137" });
  expect(await pre("sleep 63")("key", AbortSignal.abort())).toEqual({ veto: "exit code 137" });
});

test("a compaction that is stopped after its hook has ended kills nothing", async () => {
  const stop = new AbortController();
  await pre("true")("key", stop.signal);
  const kill = spyOn(process, "kill");
  stop.abort();
  expect(kill).not.toHaveBeenCalled();
  kill.mockRestore();
});

test("only the start of a long output is used", async () => {
  const { instructions } = await pre("head -c 100000 /dev/zero | tr '\\0' x")("key");
  expect(instructions).toBe("x".repeat(4_000));
});

test("postCompact reads the summary on standard input", async () => {
  const { postCompact } = userHooks({ postCompact: "cat >seen" }, { cwd, env });
  await postCompact?.("the summary");
  expect(await readFile(join(cwd, "seen"), "utf8")).toBe("the summary");
});

test("no files are left behind", () => {
  expect(readdirSync(temporary)).toEqual([]);
});
