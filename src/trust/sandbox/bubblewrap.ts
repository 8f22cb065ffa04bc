/** The arguments with which bubblewrap confines a command. */

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";
import { proxyMounts } from "./network/inside.ts";
import type { Profile } from "./profile.ts";
import { partsOfHome } from "./tool-caches.ts";

/** Files of other users, in case this one is root here. */
const guarded = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh", "/etc/ssl/private"];

/** Sockets and mounted disks of the machine, homes of other users. */
const hiddenFolders = [
  "/run",
  "/home",
  "/root",
  "/Users",
  "/mnt",
  "/media",
  "/var/run",
  "/var/spool",
];

/** Namespaces of the command's own, beside its mounts; those of the session, if it joins them, are not. */
export const ownNamespaces = ({ network, processes = true }: OwnNamespaces): string[] => [
  "--unshare-user-try",
  ...(processes ? ["--unshare-pid"] : []),
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(network ? ["--unshare-net"] : []),
  "--cap-drop",
  "ALL",
];

type OwnNamespaces = { network: boolean; processes?: boolean };

export function bubblewrapArguments(profile: Profile): string[] {
  const { write, roots, results, cwdFile, cwd, hidden, kept, fixed, open } = profile;
  const { network, joined } = profile;
  const isShared = joined && write;
  return [
    ...ownNamespaces({ network: network !== "any" && !joined, processes: !isShared }),
    // Nobody would know of what is left in there.
    ...(isShared ? [] : ["--die-with-parent"]),
    ...system(profile, isShared),
    ...roots.flatMap((root) => same(write ? "--bind" : "--ro-bind", root)),
    ...(write
      ? [
          ...kept.flatMap((path) => same("--bind-try", path)),
          ...fixed.flatMap((path) => same("--ro-bind-try", path)),
          ...open.flatMap((path) => same("--bind-try", path)),
        ]
      : []),
    // A hidden path may also be fixed: binding it later would show it again.
    ...hidden.flatMap((path) => hide(path, profile.sealed)),
    ...profile.replaced.flatMap(([path, source]) => ["--ro-bind", source, path]),
    ...profile.sockets
      .filter((path) => isSeen(path, profile))
      .flatMap((path) => same("--ro-bind-try", path).with(1, profile.sealed)),
    ...profile.writable.flatMap((path) => same("--bind", path)),
    ...results.flatMap((file) => same("--ro-bind-try", file)),
    ...(cwdFile === undefined ? [] : same("--bind", cwdFile)),
    ...lostPlaces(profile.home).flatMap(remountReadOnly),
    "--seccomp",
    filterDescriptor,
    "--chdir",
    cwd,
    "--",
  ];
}

/** The file descriptor from which bubblewrap reads what system calls are refused. */
const filterDescriptor = "9";

/** The words before bubblewrap's own, which open the filter's file. */
export const withFilter = (file: string): string[] => [
  "/bin/sh",
  "-c",
  `exec "$@" ${filterDescriptor}<"$0"`,
  file,
];

/** Tests of an argument, by the codes of the kernel's filters. */
const [equals, hasBit] = [0x15, 0x45];

/** The kind of socket that reaches the host of a virtual machine, and its guests. */
const virtualMachines = 40;

/** Whoever runs a file with this bit runs it as its owner. */
const setUserId = 0o4000;

/** A call that is refused with some arguments. */
type Condition = readonly [number: number, argument: number, test: number, value: number];

const conditionsOf = (socket: number, chmod: number | null, fchmod: number, fchmodat: number) => {
  const conditions: Condition[] = [
    [socket, 0, equals, virtualMachines],
    [fchmod, 1, hasBit, setUserId],
    [fchmodat, 2, hasBit, setUserId],
    [452, 2, hasBit, setUserId],
  ];
  return chmod === null ? conditions : [...conditions, [chmod, 1, hasBit, setUserId] as const];
};

/**
 * By architecture of the kernel's audit: the numbers of add_key, request_key, keyctl and whatever else
 * could make a socket, and what is refused with some arguments.
 */
const calls = [
  [0xc000003e, [248, 249, 250, 425], conditionsOf(41, 90, 91, 268)],
  [0x40000003, [286, 287, 288, 425, 102], conditionsOf(359, 15, 94, 306)],
  [0xc00000b7, [217, 218, 219, 425], conditionsOf(198, null, 52, 53)],
  [0x40000028, [309, 310, 311, 425], conditionsOf(281, 15, 94, 333)],
] as const;

/** From here on, other numbers of the same calls. */
const otherNumbers = 0x4000_0000;

/**
 * A filter of system calls, as the kernel reads it, for what no namespace separates: keys that the user's
 * other programs keep in the kernel, virtual machines, and programs that anyone can run as the user.
 */
export function callFilter(): Uint8Array {
  const [load, isLeast, answer] = [0x20, 0x35, 0x06];
  const allow = 0x7fff0000;
  const refuse = 0x00050001;
  const [numberAt, architectureAt, argumentsAt] = [0, 4, 16];
  const code: (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [];
  const to = (at: number): number => at - code.length - 1;
  for (const [architecture, numbers, conditions] of calls) {
    const allowed = code.length + 4 + numbers.length + 3 * conditions.length;
    const refused = allowed + 1;
    code.push([load, 0, 0, architectureAt]);
    code.push([equals, 0, to(refused + 1), architecture]);
    code.push([load, 0, 0, numberAt]);
    code.push([isLeast, to(refused), 0, otherNumbers]);
    for (const number of numbers) code.push([equals, to(refused), 0, number]);
    for (const [number, argument, test, value] of conditions) {
      code.push([equals, 0, 2, number]);
      code.push([load, 0, 0, argumentsAt + 8 * argument]);
      code.push([test, to(refused), to(allowed), value]);
    }
    code.push([answer, 0, 0, allow]);
    code.push([answer, 0, 0, refuse]);
  }
  code.push([answer, 0, 0, allow]);
  const bytes = new DataView(new ArrayBuffer(code.length * 8));
  for (const [at, [operation, ifTrue, ifFalse, value]] of code.entries()) {
    bytes.setUint16(at * 8, operation, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** Process files of a shared namespace can be mounted only by the one who made it. */
const devices = (isShared: boolean): string[] => [
  "--dev",
  "/dev",
  ...(isShared ? ["--bind", "/proc", "/proc"] : ["--proc", "/proc"]),
];

function system(profile: Profile, isShared: boolean): string[] {
  const { home, ownHome, noGit, temporary, network, sealed } = profile;
  return [
    ...same("--ro-bind", "/"),
    ...devices(isShared),
    ...hiddenFolders.filter(isFolder).flatMap((folder) => ["--tmpfs", folder]),
    ...guarded.flatMap((path) => hide(path, sealed)),
    "--bind",
    temporary,
    "/tmp",
    "--bind",
    ownHome,
    home,
    // Git of a later command would run what an earlier one wrote there.
    "--ro-bind",
    noGit,
    join(home, ".config/git"),
    "--ro-bind",
    join(noGit, "config"),
    join(home, ".gitconfig"),
    ...shownOfHome(profile),
    ...(network === "any" ? nameResolution() : []),
    ...(typeof network === "string" ? [] : proxyMounts(network)),
  ];
}

/** Where a socket lies that would have to be hidden. */
function isSeen(path: string, profile: Profile): boolean {
  const { roots, home, programs, writable } = profile;
  const isInside = (folders: readonly string[]): boolean =>
    folders.some((folder) => holds(folder, path));
  if (isInside(roots) || isInside(programs)) return true;
  if (holds(home, path))
    return partsOfHome(profile).shown.some((shown) => !shown.isWritable && holds(shown.path, path));
  return !isHiddenFrom(path, home) && !isInside(writable);
}

/** A folder comes before what is in it; secrets are hidden last. */
function shownOfHome(profile: Profile): string[] {
  const { shown, secrets } = partsOfHome(profile);
  return [
    ...shown.flatMap(({ path, source, isWritable }) => [
      isWritable ? "--bind" : "--ro-bind-try",
      source,
      path,
    ]),
    ...secrets.flatMap((secret) => hide(secret, profile.sealed)),
  ];
}

/** Shown under its own path. */
const same = (how: string, path: string): string[] => [how, path, path];

/** Whether an approved command does not see it, unless it is named. */
export const isHiddenFrom = (path: string, home: string): boolean =>
  [home, "/tmp", ...hiddenFolders].some((folder) => holds(folder, path));

/** A file becomes empty and unreadable, a folder empty. */
function hide(path: string, sealed: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", sealed, path];
}

/** Hidden folders in which nothing should seem to be saved. The home has a folder of the session. */
const lostPlaces = (home: string): string[] =>
  hiddenFolders.filter((folder) => isFolder(folder) && folder !== home);

const remountReadOnly = (folder: string): string[] => ["--remount-ro", folder];

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The configuration of the resolver is often a link into /run. */
function nameResolution(): string[] {
  const real = attempt(() => realpathSync("/etc/resolv.conf"), "");
  return real.startsWith("/run/") ? ["--ro-bind", real, real] : [];
}
