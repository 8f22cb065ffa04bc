/** Temporary folders, named after their process. */

import { lstatSync, mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "./guards.ts";
import { processSpace, processStart } from "./processes.ts";

const begin = "mini-claude-";

/** Creates a temporary folder. Folders of killed processes are removed in the background. */
export function makeTemporary(root: string = tmpdir()): string {
  const space = processSpace();
  if (space === "") return mkdtempSync(join(root, begin));
  void removeLeft(root, space);
  const owner = `${space}-${process.pid}-${processStart(process.pid)}`;
  return mkdtempSync(join(root, `${begin}${owner}-`));
}

/** Removes leftovers of this user's processes that are visible here and have ended. */
async function removeLeft(root: string, space: string): Promise<void> {
  for (const name of attempt(() => readdirSync(root), [])) {
    const [, owned, pid, start] = /^mini-claude-(\d+)-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
    if (owned !== space || processStart(Number(pid)) === start) continue;
    const folder = join(root, name);
    const stat = attempt(() => lstatSync(folder), null);
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
