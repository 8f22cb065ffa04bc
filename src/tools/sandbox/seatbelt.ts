/** The profile with which macOS confines a command. The last rule that matches counts. */

import { dirname } from "node:path";
import { holds } from "../workspace.ts";
import type { Profile } from "./profile.ts";
import { partsOfHome } from "./tool-caches.ts";

/** The minimum that every program needs to start. Nothing here talks to other programs of the user. */
const basics = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read ipc-posix-sem)
(allow file-map-executable)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.bsd.dirhelper"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom")
  (subpath "/dev/fd") (literal "/dev/dtracehelper"))`;

const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/opt",
  "/nix",
  "/System",
  "/Library",
  "/private/etc",
  "/private/var/db",
  "/private/var/select",
];

/** Homes, disks and sockets; the useful parts of the home are shown again. */
const hiddenFolders = [
  "/Users",
  "/Volumes",
  "/private/var/root",
  "/private/var/run",
  "/private/tmp",
];

/** Sockets of other programs stay out of reach, but for the one that looks up names. */
const wholeNetwork = `(allow network* system-socket)
(deny network-outbound (remote unix-socket))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.trustd.agent"))`;

export const seatbeltArguments = (profile: Profile): string[] => ["-p", seatbeltProfile(profile)];

/** `profile.network` is never a proxy: without a network of its own, a sandbox has no use for one. */
export function seatbeltProfile(profile: Profile): string {
  const { kind, roots, home, results, temporary, hidden, fixed, writable } = profile;
  const cwdFile = profile.cwdFile === undefined ? [] : [profile.cwdFile];
  const isWork = kind === "workspace-write";
  // No other folder can be shown in place of a cache: variables name the project's own.
  const { shown, secrets } = isWork
    ? partsOfHome({ ...profile, caches: null })
    : { shown: [], secrets: [] };
  const own =
    isWork && temporary !== ""
      ? [...roots, temporary, ...(profile.caches === null ? [] : [profile.caches])]
      : roots;
  const kept = [...shown.map(({ path }) => path), ...profile.kept, ...fixed, ...secrets];
  return [
    basics,
    ...(isWork
      ? ["(allow file-read*)", ...rule("deny file-read*", [...hiddenFolders, home])]
      : ['(allow file-read* (literal "/"))', ...rule("allow file-read*", system)]),
    // Programs look at every folder on the way to a file.
    "(allow file-read-metadata)",
    ...rule("allow file-read*", [...own, ...results, ...cwdFile, ...writable]),
    ...shown.flatMap(({ path }) => [
      ...rule("allow file-read*", [path]),
      ...rule("deny file-write*", [path]),
    ]),
    ...(isWork
      ? [
          ...rule("allow file-write*", own),
          ...rule("deny file-write*", [...fixed, ...results]),
          ...rule("allow file-write*", profile.open),
          ...literals("deny file-write-unlink", profile.kept),
          // Moving a folder would move what is protected in it.
          ...literals("deny file-write-unlink", foldersAround(kept, own)),
        ]
      : []),
    ...rule("allow file-write*", [...writable, ...cwdFile]),
    ...rule("deny file-read* file-write*", [...hidden, ...secrets]),
    // Whoever runs such a file runs it as its owner, outside.
    "(deny file-write-setugid)",
    ...(profile.network === "any" ? [wholeNetwork] : []),
  ].join("\n");
}

/** The folders from those that may be written down to what is protected in them. */
function foldersAround(paths: readonly string[], written: readonly string[]): string[] {
  const around = paths.flatMap((path) => {
    const folders: string[] = [];
    for (let at = dirname(path); written.some((folder) => holds(folder, at)); at = dirname(at))
      folders.push(at);
    return folders;
  });
  return [...new Set(around)];
}

const rule = (does: string, paths: readonly string[]): string[] =>
  paths.map((path) => `(${does} (subpath ${quoted(path)}))`);

const literals = (does: string, paths: readonly string[]): string[] =>
  paths.map((path) => `(${does} (literal ${quoted(path)}))`);

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`;
