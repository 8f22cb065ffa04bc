/** The arguments with which bubblewrap confines a command. */

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";
import { filterArguments } from "./call-filter.ts";
import type { HostProxy } from "./network/host-proxy.ts";
import { proxyMounts } from "./network/inside.ts";
import { partsOfHome } from "./tool-caches.ts";

/** The hosts that a command may reach. */
export type Reach = {
  access: "off" | "any" | readonly string[];
  /** Whether a rule of the user allows the host. */
  isAllowed(host: string): boolean;
};

/** Closed once the command has ended. */
export type NetworkGate = { refusals(): readonly string[]; close(): void };

/** The files that a confined command may see and change. */
export type Profile = {
  /** The roots are writable. */
  write: boolean;
  /** The workspace, added folders, and repositories of theirs that lie elsewhere. */
  roots: readonly string[];
  /** `roots`, and the rest of a repository around the workspace. */
  shows: readonly string[];
  home: string;
  /** Result files of this session, which may be read. */
  results: readonly string[];
  /** Writable: the shell records its last working folder there. */
  cwdFile?: string;
  cwd: string;
  /** The session's folders that are shown as /tmp and as the home. */
  temporary: string;
  ownHome: string;
  /** A folder with an empty git `config`. */
  noGit: string;
  /** Joins the network of the session, and its processes if the command may write. */
  joined: boolean;
  /** Files and folders that are hidden. */
  hidden: readonly string[];
  /** An empty, unreadable file, mounted over hidden files. */
  sealed: string;
  /** Sockets of programs outside the sandbox. */
  sockets: readonly string[];
  /** Files, and their substitutes. */
  replaced: readonly (readonly [path: string, source: string])[];
  /** Folders of the roots that cannot be moved away. */
  kept: readonly string[];
  /** Files and folders of the roots that cannot be written. */
  fixed: readonly string[];
  /** Folders in fixed ones that can be written all the same. */
  open: readonly string[];
  /** Missing hook folders, mounted read-only so that they cannot be created. */
  noHooks: readonly string[];
  /** The folder of the project's own caches; null: there are none. */
  caches: string | null;
  /** Packages may be downloaded into them. */
  downloads: boolean;
  /** A proxy is the only way to the network. */
  network: "off" | "any" | HostProxy;
  /** Writable paths outside of the roots. */
  writable: readonly string[];
  /** Hidden folders that hold programs, which may be read. */
  programs: readonly string[];
};

/** Readable only by root, which the user may be. */
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

/** Namespaces that a command does not share with its session. */
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
  const { write, roots, shows, results, cwdFile, cwd, hidden, kept, fixed } = profile;
  const { network, joined } = profile;
  const isShared = joined && write;
  return [
    ...ownNamespaces({ network: network !== "any" && !joined, processes: !isShared }),
    // In shared namespaces, background processes are listed instead.
    ...(isShared ? [] : ["--die-with-parent"]),
    ...system(profile, isShared),
    ...shows.flatMap((root) => same("--ro-bind", root)),
    ...roots.flatMap((root) => same(write ? "--bind" : "--ro-bind", root)),
    ...(write
      ? [
          ...kept.flatMap((path) => same("--bind-try", path)),
          ...fixed.flatMap((path) => same("--ro-bind-try", path)),
          ...profile.open.flatMap((path) => same("--bind-try", path)),
          ...profile.noHooks.flatMap((path) => ["--ro-bind", profile.noGit, path]),
        ]
      : []),
    // A hidden path may also be fixed: binding it later would show it again.
    ...hidden.flatMap((path) => hide(path, profile.sealed)),
    ...profile.replaced.flatMap(([path, source]) => ["--ro-bind", source, path]),
    ...profile.sockets
      .filter((path) => isVisible(path, profile))
      .flatMap((path) => same("--ro-bind-try", path).with(1, profile.sealed)),
    ...profile.writable.flatMap((path) => same(write ? "--bind" : "--ro-bind", path)),
    ...results.flatMap((file) => same("--ro-bind-try", file)),
    ...(cwdFile === undefined ? [] : same("--bind", cwdFile)),
    ...lostPlaces(profile.home).flatMap(remountReadOnly),
    ...filterArguments,
    "--chdir",
    cwd,
    "--",
  ];
}

/** /proc of a shared namespace can be mounted only by its creator. */
const devices = (isShared: boolean): string[] => [
  "--dev",
  "/dev",
  ...(isShared ? ["--bind", "/proc", "/proc"] : ["--proc", "/proc"]),
  // Settings of the kernel, in case this user is root.
  ...same("--ro-bind", "/proc/sys"),
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
    // Keeps a command from planting settings that git of a later one would run.
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

/** Whether the sandbox would show the socket. */
function isVisible(path: string, profile: Profile): boolean {
  const { shows, roots, home, programs, writable } = profile;
  const isInside = (folders: readonly string[]): boolean =>
    folders.some((folder) => holds(folder, path));
  if (isInside(shows) || isInside(roots) || isInside(programs)) return true;
  if (holds(home, path))
    return partsOfHome(profile).shown.some((shown) => !shown.isWritable && holds(shown.path, path));
  return !isHiddenFrom(path, home) && !isInside(writable);
}

/** Parents come first; secrets are hidden last. */
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

/** Hidden from every command that does not name it. */
export const isHiddenFrom = (path: string, home: string): boolean =>
  [home, "/tmp", ...hiddenFolders].some((folder) => holds(folder, path));

/** A file becomes empty and unreadable, a folder empty. */
function hide(path: string, sealed: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", sealed, path];
}

/** Hidden folders, made read-only so that writes fail visibly. The home is a folder of the session. */
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
