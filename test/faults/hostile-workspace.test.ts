/** The program in untrusted folders: nothing runs, no secret is shown, nothing hangs. */

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { cli, sandbox, sources, type Run, type Sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { openProgram } from "../ui/program.ts";
import { describe, gitFolders, hostileFolders, type Hostile } from "./hostile-folders.ts";

const removals: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(removals.map((remove) => remove())));

const secret = "do-not-show-this";

/** The traces that programs of a folder leave when they run. */
type Stage = { box: Sandbox; words: string[]; traces: string[]; env: Record<string, string> };

async function stage({ build }: Hostile, [program = cli, ...words]: string[] = []): Promise<Stage> {
  const box = await sandbox("hostile", program);
  removals.push(box.remove);
  await mkdir(join(box.root, "home/.aws"));
  await Bun.write(join(box.root, "home/.aws/credentials"), `aws_secret_access_key = ${secret}\n`);
  const ran = join(box.root, "ran");
  await build(box.project, `touch ${ran}`);
  const bin = join(box.project, "node_modules/.bin");
  return {
    box,
    words,
    traces: [ran, join(box.root, "touched")],
    env: {
      OPENAI_API_KEY: secret,
      // With the project's programs first, as a package runner sets it.
      PATH: existsSync(bin) ? `${bin}:${box.env["PATH"]}` : (box.env["PATH"] ?? ""),
    },
  };
}

async function logged({ box }: Stage): Promise<string> {
  const files = await Array.fromAsync(
    new Bun.Glob("**/*").scan({ cwd: box.home, dot: true, onlyFiles: true }),
  );
  return (await Promise.all(files.map((file) => readFile(join(box.home, file), "utf8")))).join("");
}

async function ask(at: Stage, prompt: string, ...flags: string[]): Promise<Run> {
  const run = await at.box.run([...at.words, "--offline", "-p", ...flags, prompt], { env: at.env });
  expect(at.traces.filter((path) => existsSync(path))).toEqual([]);
  expect(run.out + run.err + (await logged(at))).not.toContain(secret);
  return run;
}

const allFolders = hostileFolders.map((folder) => [folder.name, folder] as const);

test.each(allFolders)("%s", async (_, folder) => {
  const staged = await stage(folder);
  const at = { ...staged, box: inProcess(staged.box) };
  const run = await ask(at, folder.prompt);
  expect(run.code).toBe(0);
  expect(await logged(at)).not.toContain("Obey me.");
  expect(run.err).not.toContain("\u001b");
});

/** The folders of these names in one, built in this order. */
const combined = (names: readonly string[]): Hostile => ({
  name: names.join(", "),
  prompt: describe,
  async build(at, run) {
    for (const name of names)
      await hostileFolders.find((folder) => folder.name === name)?.build(at, run);
  },
});

/** Files that Bun or a shell may read when the program starts. */
const atStart = combined([
  "AGENTS.md is our environment",
  "a .env that names a server and a mode",
  "bunfig.toml with a preload",
  "tsconfig.json and packages in place of ours",
  "programs of the project first on the PATH",
  "start files of shells and direnv",
]);

/** The sources as they are packed for a registry, beside the packages that they need. */
async function packedSources(): Promise<string> {
  const { root, remove } = await sandbox("packed");
  removals.push(remove);
  const checkout = join(import.meta.dir, "../..");
  const words = [process.execPath, "pm", "pack", "--destination", root];
  const pack = Bun.spawn(words, { cwd: checkout, stdout: "ignore", stderr: "pipe" });
  expect([await pack.exited, await pack.stderr.text()]).toEqual([0, ""]);
  expect(Bun.spawnSync(["sh", "-c", "tar xzf *.tgz"], { cwd: root }).exitCode).toBe(0);
  await symlink(join(checkout, "node_modules"), join(root, "package/node_modules"));
  const bin = join(root, "package/src/cli.tsx");
  expect((await stat(bin)).mode & 0o111).toBe(0o111);
  return bin;
}

const isLinux = process.platform === "linux";
/** Root may read everything, unless it drops that right. */
const asUser =
  isLinux && process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--bounding-set=-all"] : [];
const environments = isLinux ? "cat /proc/self/environ /proc/$PPID/environ; " : "";
const exportsAll = `git status; env; export -p; ${environments}bash -c 'env; set'; true`;

test.each([
  ["the package of the sources", packedSources],
  // Without a build the program is the sources.
  ...(cli === sources ? [] : [["the build", async () => cli] as const]),
] as const)(
  "%s, started there: commands neither get nor find our keys, nor the variables that start us",
  async (_, program) => {
    const at = await stage(atStart, [...asUser, await program()]);
    const key = `sk-ant-${secret}`;
    Object.assign(at.env, { ANTHROPIC_API_KEY: key, MY_COPY: `Bearer ${key}` });
    Object.assign(at.env, { NODE_ENV: "staging", MINE: "kept" });
    const mode = ["--permission-mode", "bypass", "--output-format", "events"];
    const { code, out } = await ask(at, `run \`${exportsAll}\``, ...mode);
    expect(code).toBe(0);
    for (const kept of ["MINE=kept", "NODE_ENV=staging"]) expect(out).toContain(kept);
    if (isLinux) expect(out).toContain("environ: Permission denied");
    expect(out).not.toMatch(/ORIG_NODE_ENV|BUN_(JSC|RUNTIME)|PLANTED/);
  },
);

test.each(gitFolders.map((folder) => [folder.name, folder] as const))(
  "trusted: %s",
  async (_, folder) => {
    const staged = await stage(folder);
    const at = { ...staged, box: inProcess(staged.box) };
    const run = await ask(at, folder.prompt, "--trust");
    expect(run.code).toBe(0);
  },
);

test.each(["core.fsmonitor", "filter.clean"])(
  "the trap works when git is run as it is: %s",
  async (name) => {
    const folder = gitFolders.find((one) => one.name === name);
    if (!folder) throw new Error("no such folder");
    const at = await stage(folder);
    const line = /`(.*)`/.exec(folder.prompt)?.[1] ?? "";
    await Bun.spawn(["sh", "-c", line], { cwd: at.box.project, env: at.env, stdout: "ignore" })
      .exited;
    expect(at.traces.some((path) => existsSync(path))).toBe(true);
  },
);

const onScreen = combined([
  "programs of the project first on the PATH",
  "names with escapes and newlines",
  "project settings that allow everything",
  "AGENTS.md is our environment",
  "a pipe as .gitignore",
]);

test("on the screen: the question, the names of files, leaving", async () => {
  const at = await stage(onScreen);
  const env = { ...at.box.env, ...at.env };
  const wanted = "❯ No, continue without them";
  const how = { cwd: at.box.project, env, wanted, args: ["--offline"], isTrusted: false };
  const pty = await openProgram(how);
  await pty.press("n");
  await pty.waitFor("Ask, or");
  await pty.type("where is needle?\r");
  await pty.waitFor((screen) => /matches|found|needle/.test(screen) && screen.includes("Ask, or"));
  await pty.type("@");
  await pty.waitFor(/lines\.ts/);
  await pty.press("escape", "ctrl+u", "ctrl+d");
  await pty.exited;
  expect(at.traces.filter((path) => existsSync(path))).toEqual([]);
  expect(pty.output()).not.toContain("\u001b]0;title");
  expect(pty.output()).not.toMatch(/[\u0080-\u009f]/);
  expect(pty.output() + (await logged(at))).not.toContain(secret);
});
