/** The paths that a line names and may change, for telling its changes from those of somebody else. */

import { dirname } from "node:path";
import { holds } from "../../tools/workspace.ts";
import type { Situation } from "../verdict.ts";
import { readingKind } from "../reading.ts";
import { readLine } from "./line.ts";
import { possiblePaths } from "./paths.ts";

/** "folder": one above it is named, below the folder where the line starts. */
export function namingOf(
  text: string,
  place: Pick<Situation, "cwd" | "folders">,
): (path: string) => "path" | "folder" | null {
  const { commands } = readLine(text, place.cwd);
  const named = commands.flatMap((command) => {
    // A test is given the files that it reads.
    const isReading = readingKind({ ...command, writes: [] }) !== null;
    return possiblePaths(isReading ? { ...command, argv: [], inputs: [] } : command, place);
  });
  const paths = new Set(named);
  const patterns = [...paths]
    .filter((path) => /[*?[]/.test(path))
    .map((path) => new Bun.Glob(path));
  return (path) => {
    if (paths.has(path) || patterns.some((pattern) => pattern.match(path))) return "path";
    for (let at = dirname(path); !holds(at, place.cwd); at = dirname(at))
      if (paths.has(at)) return "folder";
    return null;
  };
}
