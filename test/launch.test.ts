/** The program as it is started: in hostile folders, from its package, without a terminal. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWithBun } from "./bin.ts";

const checkout = join(import.meta.dir, "..");
const cli = join(checkout, "src", "cli.tsx");
const root = await mkdtemp(join(tmpdir(), "launch-"));
afterAll(() => rm(root, { recursive: true, force: true }));

type Run = { code: number; out: string; err: string };

/** Starts the bin as a shell would, by its shebang, with `bun` on the PATH. */
async function start(
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
  bin = cli,
): Promise<Run> {
  const child = Bun.spawn([bin, ...args], {
    cwd,
    env: {
      PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
      HOME: join(root, "home"),
      MINI_CLAUDE_HOME: join(root, "home", ".mini-claude"),
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

test("a hostile folder changes nothing: no preload, no .env, no tsconfig", async () => {
  const folder = join(root, "hostile");
  await mkdir(folder);
  const stolen = join(root, "stolen");
  let calls = 0;
  const trap = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      calls++;
      return new Response("{}", { status: 500 });
    },
  });
  await Bun.write(join(folder, "evil.ts"), `await Bun.write(${JSON.stringify(stolen)}, "x");`);
  await Bun.write(
    join(folder, "bunfig.toml"),
    'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n',
  );
  await Bun.write(
    join(folder, ".env"),
    `ANTHROPIC_BASE_URL=${trap.url}\nANTHROPIC_API_KEY=sk-ant-evil\n`,
  );
  await Bun.write(
    join(folder, "tsconfig.json"),
    '{"compilerOptions":{"jsx":"react","jsxFactory":"evil","jsxImportSource":"evil","paths":{"react":["./evil.ts"]}}}',
  );
  const run = await start(["-p", "what can you do?"], folder);
  trap.stop(true);
  expect(run.err).not.toContain("error:");
  expect(run.code).toBe(0);
  expect(run.out.toLowerCase()).toContain("offline");
  expect(calls).toBe(0);
  expect(await Bun.file(stolen).exists()).toBe(false);
});

test("commands get neither our keys nor our NODE_ENV", async () => {
  const folder = join(root, "env");
  await mkdir(folder);
  const run = await start(
    [
      "--offline",
      "--permission-mode",
      "bypass",
      "--output-format",
      "stream-json",
      "-p",
      "run `env`",
    ],
    folder,
    {
      ANTHROPIC_API_KEY: "sk-ant-secret",
      OPENAI_API_KEY: "sk-other",
      NODE_ENV: "staging",
      MINE: "kept",
    },
  );
  expect(run.code).toBe(0);
  expect(run.out).toContain("MINE=kept");
  expect(run.out).toContain("NODE_ENV=staging");
  expect(run.out).not.toContain("ORIG_NODE_ENV");
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
  const run = await start(["--version"], root, {}, bin);
  expect(run).toEqual({ code: 0, out: "mini-claude 0.1.0\n", err: "" });
});

test("without a terminal and without -p: one sentence and exit code 2", async () => {
  const run = await start([], root);
  expect(run.code).toBe(2);
  expect(run.out).toBe("");
  expect(run.err.trim().split("\n")).toHaveLength(1);
  expect(run.err).toContain("-p");
});

test("an unknown flag is named, with exit code 2", async () => {
  const run = await start(["--modle", "x"], root);
  expect(run.code).toBe(2);
  expect(run.err).toContain("--modle");
  expect(run.err).toContain("--model");
});
