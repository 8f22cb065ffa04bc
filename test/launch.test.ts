/** The program on a terminal or without one, and the errors of its start. */

import { afterAll, expect, test } from "bun:test";
import { sandbox, sources } from "./bin.ts";
import { inProcess } from "./in-process.ts";
import { start } from "./ui/pty.ts";

const box = inProcess(await sandbox("launch"));
afterAll(box.remove);

test("on a terminal the screen is shown, and Ctrl-D leaves", async () => {
  const pty = start([sources, "--offline", "--trust"], { cwd: box.project, env: box.env });
  await pty.waitFor("❯ Ask");
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  await pty.close();
});

test("without a terminal and without -p: one sentence and exit code 2", async () => {
  const run = await box.run([]);
  expect(run.code).toBe(2);
  expect(run.out).toBe("");
  expect(run.err.trim().split("\n")).toHaveLength(1);
  expect(run.err).toContain("-p");
});

test("an unknown flag is named, with exit code 2", async () => {
  const run = await box.run(["--modle", "x"]);
  expect(run.code).toBe(2);
  expect(run.err).toContain("--modle");
  expect(run.err).toContain("--model");
});

test("--help and --version need no settings, no terminal and no folder", async () => {
  const env = { MINI_CLAUDE_HOME: "/dev/null/nowhere" };
  const help = await box.run(["--help"], { env });
  expect([help.code, help.err]).toEqual([0, ""]);
  expect(help.out).toContain("mini-claude doctor");
  expect((await box.run(["-v"], { env })).out).toMatch(/^mini-claude \d+\.\d+\.\d+\n$/);
});

test("an error is one sentence; --verbose adds where it comes from", async () => {
  const env = { MINI_CLAUDE_HOME: "/dev/null/nowhere" };
  const run = await box.run(["-p", "hello"], { env });
  expect(run.code).toBe(1);
  expect(run.err).toMatch(/^mini-claude: .*\/dev\/null\/nowhere.*\.\n$/);
  expect((await box.run(["-p", "--verbose", "hello"], { env })).err).toMatch(/\n +at /);
});

test("a subcommand prints its own usage; an unknown option is a usage error", async () => {
  expect((await box.run(["sessions", "--help"])).code).toBe(0);
  expect((await box.run(["sessions", "--nonsense"])).code).toBe(2);
});
