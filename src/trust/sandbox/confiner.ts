/** The system's sandboxing program, if it works here. */

import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { holds } from "../../tools/workspace.ts";
import { bubblewrapArguments, ownNamespaces } from "./bubblewrap.ts";
import type { Profile } from "./profile.ts";
import { partsOfHome } from "./tool-caches.ts";

export type Confiner = {
  program: string;
  argumentsFor(profile: Profile): string[];
  /** A command has its own /tmp and network, and all its processes end with it. */
  hasNamespaces: boolean;
};

/** Null where commands cannot be confined. */
export async function findConfiner(): Promise<Confiner | null> {
  if (process.platform === "linux") return findBubblewrap();
  return process.platform === "darwin" ? findSeatbelt() : null;
}

/** Never one of the PATH, which may lead into the opened folder. */
export const bubblewrapPlaces = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

/** Containers often forbid it although the program is there. */
async function findBubblewrap(): Promise<Confiner | null> {
  const program = bubblewrapPlaces.find((path) => existsSync(path));
  if (program === undefined) return null;
  const args = [
    ...ownNamespaces({ network: true }),
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
  const isWorking = (await readOutput([program, ...args, "--", "echo", "ok"])) === "ok\n";
  return isWorking ? { program, argumentsFor: bubblewrapArguments, hasNamespaces: true } : null;
}

/** It differs between versions of macOS: both kinds are tried before they are relied on. */
async function findSeatbelt(): Promise<Confiner | null> {
  const program = "/usr/bin/sandbox-exec";
  if (!existsSync(program)) return null;
  const top = await mkdtemp(join(realpathSync(tmpdir()), "mini-claude-try-"));
  try {
    const paths = ["open", "secret", "outside/secret"].map((name) => join(top, "root", name));
    await Promise.all(paths.map((path) => Bun.write(path, "content\n")));
    const root = join(top, "root");
    const profile = { ...tried, roots: [root], cwd: root };
    const run = (more: Pick<Profile, "kind"> & Partial<Profile>, line: string) => {
      const args = seatbeltArguments({ ...profile, ...more });
      return readOutput([program, ...args, "/bin/bash", "-c", `cd ${root}; ${line}`]);
    };
    const [look, work] = await Promise.all([
      run({ kind: "read-only", hidden: [join(root, "secret")] }, "cat open secret; : > new; ls"),
      run(
        { kind: "workspace-write", fixed: [join(root, "open")] },
        ": > made; : > open; mv open moved; : > ../new; cat open; ls; ls ..; { : > /dev/tcp/127.0.0.1/1; } 2>&1 | grep -o permitted",
      ),
    ]);
    const isWorking =
      look === "content\nopen\noutside\nsecret\n" &&
      work === "content\nmade\nopen\noutside\nsecret\nroot\npermitted\n";
    return isWorking ? { program, argumentsFor: seatbeltArguments, hasNamespaces: false } : null;
  } catch {
    return null;
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

const tried = {
  home: "/nowhere",
  results: [],
  temporary: "",
  ownHome: "",
  noGit: "",
  joined: false,
  layered: false,
  hidden: [],
  sealed: "",
  sockets: [],
  kept: [],
  fixed: [],
  open: [],
  caches: "/nowhere",
  downloads: false,
  network: "off",
  writable: [],
  programs: [],
} as const;

/** Output of the command; empty when it cannot be started. */
async function readOutput(command: readonly string[]): Promise<string> {
  try {
    const child = Bun.spawn([...command], {
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5_000,
    });
    return await child.stdout.text();
  } catch {
    return "";
  }
}

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
