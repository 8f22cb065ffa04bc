/**
 * Builds a release for every system, and prints the sizes; then how soon the packed package starts here,
 * by its launcher and without it, beside bare Ink: `bun test/lab/bench/builds.ts [--peer PROGRAM] [--here]`.
 * `--here` builds only for this system. Starts are the best of several, in turns: other load only adds time. Needs npm; with qemu
 * (`qemu-x86_64`) it also starts the program on a processor without AVX.
 */

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { name } from "../../../package.json";
import { compile, programName, runCommand } from "../../../src/release/compile.ts";
import { makeMainPackage, makeSystemPackage, packPackage } from "../../../src/release/packages.ts";
import { hostTarget, releaseTargets, type ReleaseTarget } from "../../../src/release/compile.ts";
import { sources } from "../../bin.ts";
import { startModel } from "./screen/model.ts";
import { Program } from "./screen/program.ts";
import { place } from "./screen/session.ts";
import { prepareBareInk } from "./screen/start-bare-ink.ts";

const { values } = parseArgs({
  options: { peer: { type: "string" }, here: { type: "boolean", default: false } },
});
const rounds = 15;
const root = mkdtempSync(join(tmpdir(), "builds-"));
const host = hostTarget();

const megabytes = (file: string): string => (statSync(file).size / 1e6).toFixed(1);

/** Compiles and packs the build of a system. Returns its tarball. */
async function build(target: ReleaseTarget): Promise<string> {
  const programs = join(root, "programs", target.name);
  await compile(target, programs);
  const folder = join(root, "packages", target.name);
  makeSystemPackage(target, programs, folder);
  const tarball = await packPackage(folder, root);
  const program = megabytes(join(programs, programName(target)));
  console.log(`${target.name}: program ${program} MB, to download ${megabytes(tarball)} MB`);
  return tarball;
}

/** Installs the packed package for all folders of a prefix. Returns the command. */
async function install(system: string): Promise<string> {
  const folder = join(root, "packages", name);
  await makeMainPackage([], folder);
  const main = await packPackage(folder, root);
  console.log(`${name}: to download ${megabytes(main)} MB`);
  const prefix = join(root, "prefix");
  const flags = ["--global", `--prefix=${prefix}`, "--offline", "--no-audit", "--no-fund"];
  await runCommand("npm", ["install", ...flags, main, system], root);
  const launcher = join(prefix, "bin", name);
  // Only the first start needs Node.
  await runCommand(launcher, ["--version"], root);
  return launcher;
}

type Start = { what: string; ms(): Promise<number> };

/** Prints the best of each, and its share of the last one's. */
async function compare(title: string, starts: readonly Start[]): Promise<void> {
  const times = starts.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, { ms }] of starts.entries()) times[at]?.push(await ms());
  const best = times.map((each) => Math.min(...each));
  const last = best.at(-1) ?? 1;
  console.log(title);
  for (const [at, { what }] of starts.entries()) {
    const ms = best[at] ?? 0;
    console.log(`  ${what}: ${ms.toFixed(0)} ms, ${(ms / last).toFixed(2)}`);
  }
}

const ended = (what: string, ...command: string[]): Start => ({
  what,
  async ms() {
    const began = performance.now();
    const env = { HOME: root, PATH: process.env["PATH"] };
    await Bun.spawn(command, { env, stdout: "ignore", stderr: "ignore" }).exited;
    return performance.now() - began;
  },
});

const firstKey = (what: string, start: () => Program): Start => ({
  what,
  async ms() {
    const program = start();
    const ms = await program.firstKeyMs();
    await program.close();
    return ms;
  },
});

async function main(): Promise<void> {
  let system = "";
  for (const target of values.here ? [host] : releaseTargets) {
    const tarball = await build(target);
    if (target === host) system = tarball;
  }
  const direct = join(root, "programs", host.name, name);
  const launcher = await install(system);
  console.log(`load ${(loadavg()[0] ?? 0).toFixed(1)}`);
  await compare("--version", [
    ended("the program", direct, "--version"),
    ended("by the launcher", launcher, "--version"),
    ...(values.peer === undefined ? [] : [ended("the peer", values.peer, "--version")]),
    ended("an empty script of Node", "node", "-e", "0"),
  ]);
  const model = startModel();
  const places = await Promise.all(
    [direct, launcher, sources].map((program) => place(model.url, program)),
  );
  const [program, launched, fromSources] = places.map((each) => () => each.start());
  const ink = await prepareBareInk();
  if (program && launched && fromSources)
    await compare("first key", [
      firstKey("the program", program),
      firstKey("by the launcher", launched),
      firstKey("the sources", fromSources),
      firstKey("bare Ink", ink.start),
    ]);
  await Promise.all(places.map((each) => each.remove()));
  ink.remove();
  if (host.name !== "linux-x64" || Bun.which("qemu-x86_64") === null) return;
  const home = join(root, "home");
  mkdirSync(home);
  const child = Bun.spawn(["qemu-x86_64", "-cpu", "Nehalem", direct, "-p", "--offline", "hello"], {
    env: { HOME: home, PATH: process.env["PATH"] },
    stderr: "ignore",
  });
  const answer = await child.stdout.text();
  console.log(`without AVX: ${(await child.exited) === 0 && answer !== "" ? "answers" : "FAILED"}`);
}

try {
  await main();
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exit(0);
