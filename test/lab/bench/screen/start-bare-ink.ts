/** A bare Ink app, with Ink and Yoga as they are published: without our patches. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryRoot, runCommand } from "../../../../src/release/compile.ts";
import { Program } from "./program.ts";

const patches = { ink: "ink@8.0.0.patch", "yoga-layout": "yoga-layout@3.2.1.patch" };

/** Other packages than Ink and Yoga are those of the repository. */
export async function prepareBareInk() {
  const dist = join(repositoryRoot, "dist");
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, "bare-ink-"));
  const modules = join(folder, "node_modules");
  for (const [name, patch] of Object.entries(patches)) {
    cpSync(join(repositoryRoot, "node_modules", name), join(modules, name), { recursive: true });
    const into = `--directory=${join("dist", basename(folder), "node_modules", name)}`;
    const args = ["apply", "--reverse", into, join("src/release", patch)];
    await runCommand("git", args, repositoryRoot);
  }
  const file = join(folder, "bare-ink.tsx");
  cpSync(join(import.meta.dir, "bare-ink.tsx"), file);
  return {
    modules,
    start: (): Program =>
      new Program([process.execPath, file], { env: { NODE_ENV: "production" } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
