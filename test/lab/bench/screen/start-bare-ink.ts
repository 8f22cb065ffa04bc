/** A bare Ink app, with Ink as it is published: without our patch. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryRoot, runCommand } from "../../../../src/release/compile.ts";
import { Program } from "./program.ts";

/** Other packages than Ink are those of the repository. */
export async function prepareBareInk() {
  const dist = join(repositoryRoot, "dist");
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, "bare-ink-"));
  const modules = join(folder, "node_modules");
  cpSync(join(repositoryRoot, "node_modules/ink"), join(modules, "ink"), { recursive: true });
  const into = `--directory=${join("dist", basename(folder), "node_modules/ink")}`;
  const args = ["apply", "--reverse", into, "src/release/ink@8.0.0.patch"];
  await runCommand("git", args, repositoryRoot);
  const file = join(folder, "bare-ink.tsx");
  cpSync(join(import.meta.dir, "bare-ink.tsx"), file);
  return {
    modules,
    start: (): Program =>
      new Program([process.execPath, file], { env: { NODE_ENV: "production" } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
