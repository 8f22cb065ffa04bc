/** Paths that the words of a command name. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { holds } from "../../tools/workspace.ts";
import { isShownOfHome } from "../sandbox/tool-caches.ts";
import { isSecret } from "../files/sensitive.ts";
import type { Situation } from "../verdict.ts";
import type { Line, SimpleCommand } from "./line.ts";
import { programName } from "./words.ts";

type Place = Pick<Situation, "cwd" | "folders">;

/** Absolute; null where only the shell knows. */
export function pathOf(
  word: string,
  { cwd }: SimpleCommand,
  { cwd: start, folders }: Place,
): string | null {
  const text = word.replace(/^(?:~|\$\{?HOME\}?)(?=\/|$)/, folders.home);
  if (/[$`]/.test(text) || text === "" || text.length > 4_096 || text.includes("\n")) return null;
  const from = cwd.startsWith("~") ? join(folders.home, cwd.slice(1)) : cwd;
  return resolve(start, from, text);
}

/** Every path that the words may name, also after an option's letter or name, or a commit. */
export const possiblePaths = (command: SimpleCommand, place: Place): string[] =>
  [...command.argv.slice(1), ...command.inputs, ...command.writes]
    .flatMap((word) => [word, word.replace(/^-\w/, ""), ...word.split(/[=:,@\s"'`()]/)])
    .flatMap((word) => pathOf(word, command, place) ?? []);

/** Options whose value is a pattern, not a file. */
const beforePattern =
  /^-(?:i?name|i?path|i?regex|wholename|e|-regexp|-?i?glob|-(?:in|ex)clude(?:-dir)?|g|m|-message|-body|-title)$/;

/** Files with secrets that the line names. */
export const namedSecrets = (line: Line, { folders, cwd }: Place): string[] => [
  ...new Set(
    line.commands
      .map((command) => ({
        ...command,
        argv: /^(?:echo|printf)$/.test(command.argv[0] ?? "")
          ? []
          : command.argv.filter((_, at) => !beforeText.test(command.argv[at - 1] ?? "")),
      }))
      .flatMap((command) => possiblePaths(command, { folders, cwd }))
      .filter((path) => isSecret(path, folders) && existsSync(path)),
  ),
];

/** Options whose value is a name pattern or a text for people, not a path. */
const beforeText =
  /^(?:-(?:i?name|i?path|wholename)|-\w*m|--(?:message|body|title|notes|description|grep|author))$/;

/** World-readable system folders. */
const system = /^\/(?:usr|bin|lib\w*|sbin|etc|dev|proc|sys|opt|nix|tmp|run|var)(?:\/|$)/;

/** Existing paths outside of the workspace that the line names, other than those of the system. */
export function namedOutside(line: Line, { folders, workspace, cwd }: Situation): string[] {
  const roots = [workspace.root, ...workspace.added];
  const isElsewhere = (path: string, word: string): boolean =>
    (!system.test(path) || !word.startsWith("/") || holds(folders.home, path)) &&
    !isShownOfHome(path, folders.home) &&
    !roots.some((root) => holds(root, path)) &&
    workspace.areaOf(path) === "outside";
  const found = line.commands.flatMap((command) => {
    const words = command.argv.slice(1).filter((word, at) => {
      const isPattern = beforePattern.test(command.argv[at] ?? "");
      return (
        !isPattern && /^(?:--?[\w-]+=)?(?:[~/]|\$\{?HOME|\.\.(?:\/|$)|.*\/\.\.(?:\/|$))/.test(word)
      );
    });
    const enters =
      /^(?:cd|pushd)$/.test(programName(command.argv[0] ?? "")) && command.argv.length === 1;
    return [
      ...words.map((word) => word.replace(/^--?[\w-]+=/, "")),
      ...command.writes,
      ...(enters ? ["~"] : []),
    ].flatMap((word) => {
      const path = pathOf(word.replace(/\/?[^/]*[*?[].*$/, "") || "/", command, { cwd, folders });
      return path !== null && isElsewhere(path, word) ? [path] : [];
    });
  });
  return [...new Set(found)].filter((path) => existsSync(path));
}
