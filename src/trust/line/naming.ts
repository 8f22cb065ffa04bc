/** Paths that a command line names and may change; used to attribute changes. */

import { basename, dirname } from "node:path";
import { holds } from "../../tools/workspace.ts";
import type { Situation } from "../verdict.ts";
import { readingKind } from "../reading.ts";
import { readLine } from "./line.ts";
import { possiblePaths } from "./paths.ts";

/** In a partly literal word, a shell expansion matches any text. */
function asPattern(word: string): string {
  const pattern = word.replace(/\$\{[^}]*\}?|\$\([^)]*\)?|\$(?!HOME)\w+|`[^`]*`?/g, "*");
  return /\w[^/]*$/.test(pattern) ? pattern : word;
}

/** Files that package managers keep up to date without being told their names. */
const manifests: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json", "package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"],
  yarn: ["package.json", "yarn.lock"],
  bun: ["package.json", "bun.lock", "bun.lockb"],
  cargo: ["Cargo.toml", "Cargo.lock"],
  go: ["go.mod", "go.sum"],
  uv: ["pyproject.toml", "uv.lock"],
  poetry: ["pyproject.toml", "poetry.lock"],
  bundle: ["Gemfile", "Gemfile.lock"],
  composer: ["composer.json", "composer.lock"],
};

const changesPackages =
  /^(?:i|ci|in|install|add|remove|rm|un|uninstall|up|update|upgrade|dedupe|audit|mod|get|lock|sync|require)$/;

const manifestsOf = ([program = "", ...words]: readonly string[]): readonly string[] =>
  words.some((word) => changesPackages.test(word)) ? (manifests[basename(program)] ?? []) : [];

/** "folder": the line names a folder above the path, below its working folder. */
export function namingOf(
  text: string,
  place: Pick<Situation, "cwd" | "folders">,
): (path: string) => "path" | "folder" | null {
  const { commands } = readLine(text, place.cwd);
  const named = commands.flatMap((command) => {
    // Test runners are given files that they only read.
    const isReading = readingKind({ ...command, writes: [] }) !== null;
    const { argv, writes, inputs } = isReading
      ? { argv: [], writes: command.writes, inputs: [] }
      : command;
    const words = {
      argv: argv.map(asPattern),
      writes: [...writes.map(asPattern), ...manifestsOf(argv)],
      inputs,
    };
    return possiblePaths({ ...command, ...words }, place);
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
