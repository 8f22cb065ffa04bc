/**
 * What tests start often. `bun test/builds.ts` compiles it into `dist` before the whole suite, since it
 * starts sooner then; `MINI_CLAUDE_TEST_BUILDS` names that folder. Without it tests start the sources.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  bundleLibrary,
  bundling,
  compiling,
  repositoryRoot,
  runCommand,
} from "../src/release/compile.ts";

const folder = process.env["MINI_CLAUDE_TEST_BUILDS"];

/** The program from its sources. */
export const sources = join(repositoryRoot, "src/cli.tsx");

/** The program under test. */
export const cli = folder === undefined ? sources : join(folder, "mini-claude");

const scriptedScreen = join(import.meta.dir, "ui/scripted-screen.ts");

/** Starts the screen with a scripted agent; its source describes the script. */
export const scriptedCommand = (script: object = {}): string[] => [
  ...(folder === undefined
    ? [process.execPath, scriptedScreen]
    : [join(folder, "scripted-screen")]),
  JSON.stringify(script),
];

/** The folder of the bundled library, which is `own` where it was not built before. */
export async function bundledLibrary(own: string): Promise<string> {
  if (folder !== undefined) return join(folder, "lib");
  await bundleLibrary(own);
  return own;
}

async function compileScreen(into: string): Promise<void> {
  const outfile = `--outfile=${join(into, "scripted-screen")}`;
  const args = ["build", scriptedScreen, ...bundling, ...compiling, outfile];
  await runCommand(process.execPath, args, repositoryRoot);
}

if (import.meta.main) {
  const dist = join(repositoryRoot, "dist");
  const lib = join(dist, "lib");
  rmSync(lib, { recursive: true, force: true });
  // As `bun run build` does.
  const build = runCommand(process.execPath, ["src/release/compile.ts"], repositoryRoot);
  await Promise.all([build, compileScreen(dist), bundleLibrary(lib)]);
}
