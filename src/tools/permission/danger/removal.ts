/** Commands that remove, move or overwrite files, or make them inaccessible. */

import { resolve } from "node:path";
import type { FoundCommand } from "../line/every-command.ts";
import { programName } from "../line/unwrap.ts";
import { asked, refused, type Danger } from "./level.ts";
import { hasOption, listOperands } from "./options.ts";
import { isDisk, isVitalFile, isVitalFolder, type Home } from "./system-paths.ts";

const removesSystem = refused("deletes the system or a home folder");

export function fileLoss(
  name: string,
  args: readonly string[],
  { writes, cwd }: FoundCommand,
  home: Home,
): Danger | null {
  const isFolder = (path: string) => isVitalFolder(path, cwd, home);
  const isFile = (path: string) => isVitalFile(path, cwd, home);
  const disk = writes.find(isDisk);
  if (disk !== undefined) return refused(`overwrites the disk ${disk}`);
  const vital = writes.find(isFile);
  if (vital !== undefined) return refused(`overwrites ${vital}`);
  const overwrites = (paths: readonly string[]): Danger | null => {
    const hit = paths.find(isFile);
    return hit === undefined ? null : refused(`overwrites ${hit} (${name})`);
  };
  const operands = listOperands(args);
  const recursive = hasOption(args, "rR", "--recursive");
  switch (name) {
    case "rm":
    case "unlink":
    case "rimraf":
    case "trash":
    case "srm":
      if (operands.some((path) => isFolder(path) || isFile(path))) return removesSystem;
      return recursive || /^(?:rimraf|trash)$/.test(name)
        ? { ...asked("deletes folders recursively"), removes: pathsFrom(cwd, operands) }
        : null;
    case "find":
      return findLoss(args, isFolder);
    case "chmod":
    case "chown":
    case "chgrp":
    case "setfacl":
    case "chattr":
      if (!recursive && !operands.slice(1).some((path) => /^\/(?:\*|\.?)$/.test(path))) return null;
      return operands.slice(1).some(isFolder)
        ? refused(`changes permissions of the system or a home folder (${name})`)
        : null;
    case "mv":
      return operands
        .slice(0, operands.length > 1 ? -1 : undefined)
        .some((path) => isFolder(path) || isFile(path))
        ? refused("moves a system or home folder away")
        : null;
    case "rsync":
      return args.some((arg) => /^--(?:delete|remove-source-files)/.test(arg)) &&
        operands.some(isFolder)
        ? removesSystem
        : null;
    case "dd":
      return overwrites(args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3)));
    case "shred":
    case "wipe":
      if (operands.some(isFolder)) return overwrites(operands) ?? removesSystem;
      return overwrites(operands) ?? asked("destroys files beyond recovery");
    case "truncate":
      return overwrites(operands) ?? asked("truncates files");
    case "tee":
    case "sponge":
      return overwrites(operands);
    case "cp":
    case "install":
    case "ln":
      return overwrites(operands.slice(-1));
    case "tar":
    case "zip":
      return hasOption(args, name === "zip" ? "m" : "", "--remove-files") && operands.some(isFolder)
        ? removesSystem
        : null;
    default:
      return codeLoss(args, isFolder);
  }
}

const pathsFrom = (cwd: string, operands: readonly string[]): string[] =>
  operands.map((path) => (path.startsWith("~") ? path : resolve(cwd, path)));

function findLoss(args: readonly string[], isFolder: (path: string) => boolean): Danger | null {
  const start = args.findIndex((arg) => arg.startsWith("-") && !/^-[HLP]$/.test(arg));
  const folders = args
    .slice(0, start === -1 ? undefined : start)
    .filter((arg) => !arg.startsWith("-"));
  const removes =
    args.includes("-delete") ||
    args.some((arg) => /^(?:rm|unlink|shred|rimraf)$/.test(programName(arg)));
  if (!removes) return null;
  return (folders.length === 0 ? ["."] : folders).some(isFolder)
    ? refused("deletes files across the system or a home folder")
    : asked("deletes every file that it finds");
}

const removalCall =
  /\b(?:rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdirSync|removeSync|removeAll|RemoveAll|delete_tree|rm|rmdir|rimraf|emptyDirSync|remove_entry_secure)\s*\(?\s*(?:\w+\.)*\(?\s*(["'`])((?:\/|~|\$HOME)[^"'`]*)\1/g;

/** A folder that a program of another language removes. */
function codeLoss(args: readonly string[], isFolder: (path: string) => boolean): Danger | null {
  const code = args.join(" ").slice(0, 20_000);
  return [...code.matchAll(removalCall)].some((match) => isFolder(match[2] ?? ""))
    ? removesSystem
    : null;
}
