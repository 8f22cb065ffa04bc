/**
 * Commands that never run, in any mode: they would destroy the machine or the home. A short list that
 * catches mistakes; a line that hides its purpose is left to the sandbox.
 */

import { posix } from "node:path";
import type { Line, SimpleCommand } from "./line/line.ts";
import { programName } from "./line/unwrap.ts";
import { operandsOf } from "./line/operands.ts";

type Vital = { home: string; workspace: string };

/** Continues "This command is never run: it"; null: it may run. */
export function whyNever({ text, commands, multiplies }: Line, vital: Vital): string | null {
  if (multiplies || /^\s*"?\$0"?\s*[|&]\s*"?\$0"?\s*&/m.test(text))
    return "starts copies of itself until the machine stops (fork bomb)";
  for (const command of commands) {
    const why = whyMachine(command) ?? whyFiles(command, vital);
    if (why !== null) return why;
  }
  return null;
}

const stops = "stops or restarts the machine";
const erases = "formats or erases a disk";

function whyMachine({ argv: [first = "", ...args], guessed }: SimpleCommand): string | null {
  const name = programName(first);
  const operands = operandsOf(args);
  const [verb = ""] = operands;
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return guessed ? null : stops;
  if (/^(?:init|telinit)$/.test(name)) return /^[06]$/.test(verb) ? stops : null;
  if (/^(?:systemctl|loginctl)$/.test(name))
    return /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate)$/.test(verb)
      ? stops
      : null;
  if (/^(?:mkfs(?:\..*)?|mkswap|mke2fs|newfs.*|pvremove|vgremove|lvremove)$/.test(name))
    return guessed ? null : erases;
  if (
    /^(?:wipefs|blkdiscard|sgdisk|sfdisk|fdisk|parted|hdparm|badblocks|mdadm|cryptsetup)$/.test(
      name,
    )
  )
    return operands.some(isDisk) && !args.some((arg) => /^(?:-l|--list|--print)$/.test(arg))
      ? erases
      : null;
  if (/^(?:zpool|zfs)$/.test(name)) return verb === "destroy" ? erases : null;
  if (name === "diskutil") return /^(?:erase|partition|zero|reformat)/i.test(verb) ? erases : null;
  if (name === "killall5" || (name === "kill" && endsAll(args))) return "kills every process";
  if (/^(?:pkill|killall)$/.test(name))
    return operands.some((word) => /^(?:\.\*?|\*|init|systemd|launchd)$/.test(word))
      ? "kills every process"
      : null;
  return null;
}

/** A process -1 stands for all of them, and 1 is the first. */
const endsAll = (args: readonly string[]): boolean =>
  (args.length > 1 || args[0] === "-1") &&
  args.some(
    (arg, at) =>
      /^-?1$/.test(arg) && (at > 0 || args.length === 1) && !/^-[sn]$/.test(args[at - 1] ?? ""),
  );

function whyFiles(
  { argv: [first = "", ...args], writes, cwd }: SimpleCommand,
  vital: Vital,
): string | null {
  const name = programName(first);
  const operands = operandsOf(args);
  const isFolder = (path: string) => isVitalFolder(path, cwd, vital);
  const isFile = (path: string) => isVitalFile(path, cwd, vital);
  const overwritten = [...writes, ...targetsOf(name, operands, args)].find(isFile);
  if (overwritten !== undefined) return `overwrites ${overwritten}`;
  const isRecursive = args.some((arg) => /^-\w*[rR]|^--recursive$/.test(arg));
  switch (name) {
    case "rm":
    case "unlink":
    case "rimraf":
    case "shred":
      return operands.some((path) => isFolder(path) || isFile(path))
        ? "deletes the system or a home folder"
        : null;
    case "find":
      return args.includes("-delete") && startsOf(args).some(isFolder)
        ? "deletes files across the system or a home folder"
        : null;
    case "chmod":
    case "chown":
    case "chgrp":
      return isRecursive && operands.slice(1).some(isFolder)
        ? "changes permissions of the system or a home folder"
        : null;
    case "mv":
      return operands.slice(0, -1).some((path) => isFolder(path) || isFile(path))
        ? "moves a system or home folder away"
        : null;
    case "rsync":
      return args.some((arg) => arg.startsWith("--delete")) && operands.slice(-1).some(isFolder)
        ? "deletes the system or a home folder"
        : null;
    default:
      return null;
  }
}

/** The folders that `find` starts in. */
export function startsOf(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg));
  const starts = args.slice(0, at === -1 ? undefined : at).filter((arg) => !arg.startsWith("-"));
  return starts.length === 0 ? ["."] : starts;
}

function targetsOf(
  name: string,
  operands: readonly string[],
  args: readonly string[],
): readonly string[] {
  if (name === "dd") return args.flatMap((arg) => /^of=(.*)$/.exec(arg)?.[1] ?? []);
  if (/^(?:tee|sponge|truncate)$/.test(name)) return operands;
  return /^(?:cp|install|ln|mv)$/.test(name) ? operands.slice(-1) : [];
}

const disks = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md|mem|kmem|port|ram)/;
const isDisk = (path: string): boolean => disks.test(posix.normalize(path));

const systemFolders =
  /^\/(?:(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|nix|mnt|media|Users|System|Library|Applications|Volumes|private)?$|(?:boot|bin|sbin|lib|lib64|dev|proc|sys|etc|System|Library|Applications)\/|usr\/(?:bin|sbin|lib|lib64|libexec|share|include|local)$|var\/(?:lib|log|spool|db)$|(?:home|Users)\/[^/]+$)/;

const vitalFiles =
  /^\/(?:etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ld\.so\..*)|boot\/.*|(?:usr\/)?bin\/(?:ba|da)?sh|lib(?:64)?\/ld-.*|proc\/(?:sysrq-trigger|sys\/.*)|sys\/.*)$/;

/** Absolute and without `..`; null when it begins with something unknown. */
function absolute(path: string, cwd: string, { home, workspace }: Vital): string | null {
  // The home of another user counts as one, too.
  const expand = (text: string): string =>
    text
      .replace(/^(?:~|\$\{?HOME(?:[:%?/][^}]*)?\}?)(?=\/|$)/, home)
      .replace(/^~\w+/, (name) => `/home/${name.slice(1)}`);
  const full = expand(path);
  if (full.startsWith("$")) return null;
  if (full.startsWith("/")) return posix.normalize(full);
  const start = expand(cwd);
  return posix.normalize(
    posix.join(start.startsWith("/") ? start : posix.join(workspace, start), full),
  );
}

/** Removing this with everything in it would destroy the system or the home. */
function isVitalFolder(path: string, cwd: string, vital: Vital): boolean {
  const full = absolute(path, cwd, vital);
  if (full === null) return false;
  // A pattern right below the root may stand for any of its folders.
  if (/^\/[^/]*[*?[][^/]*$/.test(full)) return true;
  // A pattern of everything in a folder is that folder.
  const folder = full.replace(/\/(?:\.?[*?][^/]*|\.\[[^/]*|\.?)$/, "") || "/";
  const { home, workspace } = vital;
  const isInWorkspace = folder === workspace || folder.startsWith(`${workspace}/`);
  if (systemFolders.test(folder)) return !isInWorkspace;
  const above = folder === "/" ? "/" : `${folder}/`;
  return folder === home || [home, workspace].some((kept) => kept.startsWith(above));
}

function isVitalFile(path: string, cwd: string, vital: Vital): boolean {
  const full = absolute(path, cwd, vital);
  return full !== null && (vitalFiles.test(full) || isDisk(full));
}
