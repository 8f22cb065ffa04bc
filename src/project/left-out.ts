import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { instructionFiles } from "./instructions.ts";

/** What an untrusted project has that is not used, in words. Looks only whether files exist. */
export function leftOut(root: string, cwd: string): string[] {
  const instructions = instructionFiles({ root, cwd })
    .filter(isThere)
    .map((file) => basename(file));
  return [...new Set(instructions), ...(isThere(join(root, ".git")) ? ["git status"] : [])];
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
