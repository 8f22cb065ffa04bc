/** Compiles the program: `bun src/release/compile.ts` builds it for this machine, in `dist`. */

import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependencies, name } from "../../package.json";

export const repositoryRoot = join(import.meta.dir, "../..");

export const programName = ({ os }: Pick<ReleaseTarget, "os">): string =>
  os === "win32" ? `${name}.exe` : name;

/** How `bun build` makes one program of the sources. */
export const bundling = [
  "--splitting",
  "--minify",
  "--production",
  // Fixed, regardless of the build environment.
  '--define=process.env.NODE_ENV="production"',
  "--external=@vscode/ripgrep",
];

export const compiling = [
  "--compile",
  "--bytecode",
  "--format=esm",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

/**
 * Compiles the program into a folder, with ripgrep beside it. `target`: null is this machine. Throws
 * with what the compiler said.
 */
export async function compile(target: ReleaseTarget | null, folder: string): Promise<void> {
  const { os, cpu, compiler } = target ?? hostTarget();
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, programName({ os }));
  const args = [
    "build",
    "src/release/program.ts",
    ...bundling,
    ...compiling,
    `--outfile=${outfile}`,
  ];
  if (target !== null) args.push(`--target=${compiler}`);
  await runCommand(process.execPath, args, repositoryRoot);
  const ripgrep = os === "win32" ? "rg.exe" : "rg";
  const from = await findRipgrepFor(`@vscode/ripgrep-${os}-${cpu}`);
  copyFileSync(join(from.folder, "bin", ripgrep), join(folder, ripgrep));
  chmodSync(join(folder, ripgrep), 0o755);
  from.release();
}

/** Bundles what other programs import, with all that it needs. */
export async function bundleLibrary(folder: string): Promise<void> {
  const entries = ["agent", "context"].map((entry) => `src/headless/library/${entry}.ts`);
  const args = ["build", ...entries, ...bundling, "--target=bun", `--outdir=${folder}`];
  await runCommand(process.execPath, args, repositoryRoot);
}

/** The package with ripgrep for a system: the installed one, else downloaded from the registry. */
async function findRipgrepFor(pack: string): Promise<{ folder: string; release(): void }> {
  const installed = join(repositoryRoot, "node_modules", pack);
  if (existsSync(installed)) return { folder: installed, release: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "ripgrep-"));
  const version = dependencies["@vscode/ripgrep"];
  const args = ["pack", `${pack}@${version}`, "--silent", `--pack-destination=${folder}`];
  const tarball = (await runCommand("npm", args, folder)).trim();
  await runCommand("tar", ["-xzf", join(folder, tarball), "-C", folder], folder);
  return {
    folder: join(folder, "package"),
    release: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program and returns its standard output. Throws with its error output on failure. */
export async function runCommand(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const child = Bun.spawn([program, ...args], { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${out}${err}`);
  return out;
}

/** A system that a release has a build for. */
export type ReleaseTarget = {
  /** Ends the name of its package. */
  name: string;
  /** As `bun build --compile --target` takes it. */
  compiler: string;
  /** As npm matches them with the machine that installs. */
  os: "linux" | "darwin" | "win32";
  cpu: "x64" | "arm64";
  libc?: "glibc" | "musl";
};

export const releaseTargets: readonly ReleaseTarget[] = [
  { name: "linux-x64", compiler: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc" },
  { name: "linux-arm64", compiler: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc" },
  { name: "linux-x64-musl", compiler: "bun-linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  {
    name: "linux-arm64-musl",
    compiler: "bun-linux-arm64-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl",
  },
  { name: "darwin-arm64", compiler: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  { name: "darwin-x64", compiler: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  { name: "windows-x64", compiler: "bun-windows-x64", os: "win32", cpu: "x64" },
];

/** The target of the machine that this runs on. Throws when there is none. */
export function hostTarget(): ReleaseTarget {
  const { platform, arch } = process;
  const found = releaseTargets.find(({ os, cpu }) => os === platform && cpu === arch);
  if (!found) throw new Error(`There is no release for ${platform} ${arch}.`);
  return found;
}

if (import.meta.main) await compile(null, join(repositoryRoot, "dist"));
