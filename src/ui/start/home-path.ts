import { homedir } from "node:os";
import { sep } from "node:path";

/** A path with "~" for the home folder. */
export function homePath(path: string, home: string = homedir()): string {
  if (home.length < 2) return path;
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
