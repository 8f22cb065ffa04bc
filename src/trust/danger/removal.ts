/** Commands that remove, move or overwrite files, or make them inaccessible. */

import { posix, resolve } from "node:path";
import type { FoundCommand } from "../line/every-command.ts";
import { programName } from "../line/unwrap.ts";
import { asked, hasOption, listOperands, refused, type Danger } from "./level.ts";

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

/** Folders that the user cannot do without, besides those of the system. */
export type Home = { home: string; workspace: string };

const systemFolders =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|opt|proc|root|run|sbin|srv|sys|usr|var|nix|mnt|media|Users|System|Library|Applications|Volumes|private)?$/;

const innerFolders =
  /^\/(?:boot|bin|sbin|lib|lib32|lib64|dev|proc|sys|etc|System|Library|Applications)\/|^\/usr\/(?:bin|sbin|lib|lib32|lib64|libexec|share|include|local)$|^\/var\/(?:lib|log|spool|db)$|^\/(?:home|Users)\/[^/]+$/;

const vitalFiles =
  /^\/(?:etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ld\.so\.(?:conf|cache|preload))|boot\/.*|bin\/(?:ba|da)?sh|lib(?:64)?\/ld-.*|usr\/bin\/(?:ba|da)?sh|proc\/sysrq-trigger|sys\/.*|proc\/sys\/.*)$/;

const disks =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|loop|md|mem|kmem|port|ram|zram|sr\d|fb\d)/;

export const isDisk = (path: string): boolean => disks.test(posix.normalize(path));

/** Absolute and without `..`; null when it begins with something unknown. */
function absolute(path: string, cwd: string, { home, workspace }: Home): string | null {
  const base = cwd === "." || cwd.startsWith("./") ? posix.join(workspace, cwd) : expand(cwd, home);
  const full = expand(path, home);
  if (full.startsWith("$")) return null;
  return posix.normalize(full.startsWith("/") ? full : posix.join(base, full));
}

/** The home of another user counts as one, too. */
const expand = (path: string, home: string): string =>
  path
    .replace(/^(?:~|\$\{?HOME\}?)(?=\/|$)/, home)
    .replace(/^~\w+/, (name) => `/home/${name.slice(1)}`);

/** The end of a path that means everything in the folder, or the folder itself. */
const allOfIt = /\/(?:[*?.[\]!^a-zA-Z0-9-]*[*?][*?.[\]!^]*|\.\[[^\]]*\]\*?|\.+)?$/;

/** Removing this with everything in it would destroy the system or the home. */
function isVitalFolder(path: string, cwd: string, home: Home): boolean {
  const full = absolute(path, cwd, home);
  if (full === null) return false;
  const folder = posix.normalize(
    /[*?]|\/\.?$/.test(full) ? full.replace(allOfIt, "") || "/" : full,
  );
  const plain = folder.replace(/(?<=.)\/$/, "");
  // A pattern right below the root may stand for any of its folders.
  if (/^\/[^/]*[*?[][^/]*$/.test(full)) return true;
  if (systemFolders.test(plain) || innerFolders.test(plain)) return !isInside(plain, home);
  return [home.home, home.workspace].some((kept) => isAbove(plain, kept)) || plain === home.home;
}

/** A workspace may be in one of these folders; what is in it does not belong to the system. */
const isInside = (path: string, { workspace }: Home): boolean =>
  path === workspace || path.startsWith(`${workspace}/`);

const isAbove = (folder: string, path: string): boolean =>
  path.startsWith(folder === "/" ? "/" : `${folder}/`);

function isVitalFile(path: string, cwd: string, home: Home): boolean {
  const full = absolute(path, cwd, home);
  return full !== null && (vitalFiles.test(full) || isDisk(full));
}
