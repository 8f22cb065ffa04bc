/** The sources as a shell starts them: their environment, their package, on a terminal or without one. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { sandbox, sources } from "./bin.ts";
import { inProcess } from "./in-process.ts";
import { start } from "./ui/pty.ts";

const checkout = join(import.meta.dir, "..");
const started = await sandbox("launch", sources);
const box = inProcess(started);
const { root } = box;
afterAll(box.remove);

test("commands get neither our keys nor the variables that start us", async () => {
  const isLinux = process.platform === "linux";
  const line = `env; export -p; ${isLinux ? "cat /proc/self/environ; " : ""}bash -c 'env; set'; true`;
  const mode = ["--permission-mode", "bypass", "--output-format", "events"];
  const run = await started.run(["--offline", ...mode, "-p", `run \`${line}\``], {
    env: {
      ANTHROPIC_API_KEY: "sk-ant-secret",
      OPENAI_API_KEY: "sk-other",
      MY_COPY: "Bearer sk-ant-secret",
      NODE_ENV: "staging",
      MINE: "kept",
    },
  });
  expect(run.code).toBe(0);
  expect(run.out).toContain("MINE=kept");
  expect(run.out).toContain("NODE_ENV=staging");
  expect(run.out).not.toContain("ORIG_NODE_ENV");
  expect(run.out).not.toMatch(/BUN_(JSC|RUNTIME)/);
  expect(run.out + run.err).not.toContain("sk-ant-secret");
  expect(run.out + run.err).not.toContain("sk-other");
});

test("the package contains everything it needs to run", async () => {
  const folder = join(root, "packed");
  await mkdir(folder);
  const pack = Bun.spawn([process.execPath, "pm", "pack", "--destination", folder], {
    cwd: checkout,
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await pack.exited).toBe(0);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  const unpack = Bun.spawn(["tar", "xzf", tarball], { cwd: folder });
  expect(await unpack.exited).toBe(0);
  const bin = join(folder, "package", "src", "cli.tsx");
  expect((await stat(bin)).mode & 0o111).toBe(0o111);
  await symlink(join(checkout, "node_modules"), join(folder, "package", "node_modules"));
  const run = await started.run(["--version"], { bin });
  expect(run).toEqual({ code: 0, out: "mini-claude 0.2.0\n", err: "" });
});

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
