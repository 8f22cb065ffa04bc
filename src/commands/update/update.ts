/** `mini-claude update`: installs the latest version, with the package manager that installed this one. */

import { resolve } from "node:path";
import { name, version } from "../../../package.json";
import type { Environment } from "../../base/environment.ts";
import { findInstallation, isCompiled } from "../../base/installed.ts";
import { realHome } from "../../config/paths.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { pathOutside, projectRoot } from "../../trust/project/project.ts";

export const help = `mini-claude update           install the latest version, as this one was installed
mini-claude update --check   only say whether there is a newer one

Exit codes: 0 this is the latest version now, 1 it is not.
`;

const checkout = resolve(import.meta.dir, "../../..");

const ownPath = (): string =>
  isCompiled(process.argv[1] ?? "") ? process.execPath : import.meta.path;

/** Returns the exit code. Throws with a sentence when the package manager fails. */
export async function run(
  args: readonly string[],
  { env: given, out, cwd }: SubcommandIo,
): Promise<number> {
  const { values } = parseOptions(args, { check: { type: "boolean" } });
  // Package runners put the folder's own programs first.
  const root = projectRoot(cwd, realHome(given));
  const env = { ...given, PATH: pathOutside(given["PATH"] ?? "", root) };
  const installation = findInstallation(ownPath());
  if (installation.kind === "fetched") {
    out(
      `${name} ${version} is fetched for each start; for the latest version: ${installation.command}\n`,
    );
    return 0;
  }
  if (installation.kind === "checkout") {
    out(`${name} ${version} runs from a checkout; update it with git pull in ${checkout}.\n`);
    return 1;
  }
  if (installation.kind === "other") {
    out(
      `${name} ${version} was not installed by a package manager for all folders, so update it where it comes from: a new download, or npm install ${name}@latest in the project that depends on it.\n`,
    );
    return 1;
  }
  const newest = (await runManager(installation.view, env)).trim().replaceAll(/^["']|["']$/g, "");
  if (Bun.semver.order(newest, version) <= 0) {
    out(`${name} ${version} is the latest version.\n`);
    return 0;
  }
  const command = installation.install.join(" ");
  if (values.check === true || process.platform === "win32") {
    // Windows does not replace a program that runs.
    out(`${name} ${newest} is there; this is ${version}. Update with: ${command}\n`);
    return 1;
  }
  out(`Updating from ${version} to ${newest}: ${command}\n`);
  await runManager(installation.install, env);
  if (installation.start) await runManager(installation.start, env);
  out(
    `Updated to ${newest}. Sessions that are open keep ${version} until they are started again.\n`,
  );
  return 0;
}

/** Returns the standard output. */
async function runManager(command: readonly string[], env: Environment): Promise<string> {
  const [manager = "", ...args] = command;
  const path = Bun.which(manager, { PATH: env["PATH"] ?? "" });
  if (path === null)
    throw new Error(`${manager}, which installed this program, is not on the PATH.`);
  // Not in the opened folder: its settings for package managers are not the user's.
  const child = Bun.spawn([path, ...args], { cwd: "/", env, stdout: "pipe", stderr: "pipe" });
  const [text, problem, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code === 0) return text;
  const [line = "it gave no reason"] = problem.trim().split("\n").filter(Boolean).slice(0, 1);
  throw new Error(`${command.join(" ")} failed: ${line.replaceAll(/\p{Cc}+/gu, " ")}`);
}
