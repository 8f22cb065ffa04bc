/** Confines commands where the platform can: on Linux with bubblewrap, on macOS with Anthropic's sandbox runtime. */

import {
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../base/guards.ts";
import { textOfRegular } from "../../base/regular-file.ts";
import { findRepository } from "../git/git-folders.ts";
import { holds, type Workspace } from "../../tools/workspace.ts";
import { bubblewrapArguments, isHiddenFrom } from "./bubblewrap.ts";
import type { NetworkGate, Profile, Reach } from "./bubblewrap.ts";
import { withFilter } from "./call-filter.ts";
import { type Confiner, findConfiner } from "./confiner.ts";
import type { Gate, HostProxy } from "./network/host-proxy.ts";
import { secretFolders } from "../files/secrets.ts";
import { listKeyFolders } from "../files/sensitive.ts";
import { foreignSockets, makeScanner, type ScanTarget } from "./scan.ts";
import { openPlace, type SessionPlace } from "./session-place.ts";
import { openWorkFolders } from "./tool-caches.ts";
import { ToolError } from "../../tools/tool.ts";

type Confinement = Pick<Profile, "write" | "cwd" | "cwdFile" | "network"> & {
  /** Absolute, without symlinks; they must exist. */
  writable: readonly string[];
  path: readonly string[];
  /** Runs in the namespaces of the session instead of its own. */
  joins: boolean;
  /** Rules restrict reading, and git could show any file. */
  hidesObjects: boolean;
  /** Equivalent of `network` on a system without network namespaces. */
  reach: Reach;
};

export type Sandbox = NonNullable<Awaited<ReturnType<typeof openSandbox>>>;

/**
 * `shared`: the place of a session and its subagents, closed by its creator. Null: commands cannot be confined, so
 * those that need it have to be approved.
 */
export async function openSandbox(
  workspace: Pick<Workspace, "root" | "added" | "home" | "ownResults">,
  wanted: ScanTarget,
  shared: { place: SessionPlace | null },
) {
  const own = [workspace.root, ...workspace.added];
  const isInside = (folders: readonly string[], path: string): boolean =>
    folders.some((folder) => holds(folder, path));
  const { home } = workspace;
  const confiner = await confinerFor(own, home);
  if ("why" in confiner) return null;
  const { writes, shows, gits } = await rootsOf(own, home);
  const { program } = confiner;
  const scan = makeScanner(
    shows.filter((root) => !shows.some((other) => other !== root && holds(other, root))),
    gits.filter((folder) => basename(folder) !== ".git" || !isInside(shows, folder)),
    wanted,
  );
  const place = (shared.place ??= openPlace(program));
  let programs: Promise<string[]> | null = null;
  let proxies = 0;
  let usesCaches = false;

  /** Our own folder and the user's key folders, where links place them outside the home. */
  const keysElsewhere = (): string[] =>
    [wanted.folders.own, ...secretFolders.map((folder) => join(home, folder))]
      .map((path) => attempt(() => realpathSync(path), home))
      .filter(
        (path) =>
          !holds(home, path) && !shows.some((root) => holds(root, path) || holds(path, root)),
      );

  /** `PATH` does not change during a session. */
  const findPrograms = (path: readonly string[]): Promise<string[]> =>
    (programs ??= programFolders(path, (folder) => isHiddenFrom(folder, home), home));

  /** Caches that were not used for long are removed. */
  const keepCaches = (): void => {
    if (usesCaches) return;
    usesCaches = true;
    mkdirSync(caches, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(caches, now, now);
  };

  const project = new Bun.CryptoHasher("sha256").update(workspace.root).digest("hex");
  const caches = join(wanted.folders.own, "caches", project.slice(0, 16));

  return {
    /** The folder for temporary files of the session, which commands see as /tmp. */
    temporaryFolder: async (): Promise<string> => (await place.folders()).temporary,

    /**
     * Removes `commondir` files, which would redirect git to another repository, and returns their paths. Git itself
     * writes none here, but fails if the sandbox blocks the name.
     */
    removeTraps(repositories: readonly string[]): string[] {
      const found = repositories.map((folder) => join(folder, "commondir")).filter(isFile);
      for (const path of found) attempt(() => rmSync(path), undefined);
      return found;
    },

    /** Files that commands wrote to the session's home since the last call. */
    newHomeFiles: (): Promise<string[]> => place.newHomeFiles(),

    /** Whether a process that a command left behind still runs. */
    hasProcesses: (): boolean => place.hasProcesses(),

    /** Processes that outlived all commands, and those of one command. */
    orphans: place.orphans,
    leftBy: place.leftBy,

    /** Command prefix that confines a shell. Throws `ToolError` if there are too many paths to protect. */
    async confine(how: Confinement): Promise<Confined> {
      const { secrets, effects, repositories, configs, sockets, packages, complete } = await scan();
      const isOpened = (path: string): boolean => isInside(how.writable, path);
      // Granting a workspace folder frees its effect files, not its secrets.
      const isNamed = (path: string): boolean =>
        how.writable.some((open) => holds(open, path) && !shows.some((root) => holds(open, root)));
      const secret = secrets.filter((path) => !isNamed(path));
      const hidden = [
        ...secret,
        ...shows.flatMap((root) => listKeyFolders(root, home)),
        ...(how.hidesObjects ? repositories.map((folder) => join(folder, "objects")) : []),
        ...keysElsewhere(),
        ...[wanted.folders.own].filter((path) => isInside(shows, path)),
      ];
      const isOfGit = (path: string): boolean =>
        isInside(repositories, path) && !configs.includes(path);
      // With the network, a package manager is at work.
      const isOffline = how.write && how.network === "off";
      const linked = packages
        .filter((path) => isOffline && isInside(own, path))
        .slice(0, maxLinked);
      const fixed = [
        ...linked,
        ...effects.filter(
          (path) => !repositories.includes(path) && (isOfGit(path) || !isOpened(path)),
        ),
        ...(await hookFolders(configs, shows)),
        ...[...(wanted.folders.scripts?.values() ?? [])].filter((path) => !isOpened(path)),
      ].filter((path) => isInside(writes, path) && !isLink(path));
      if (!complete || hidden.length + fixed.length + repositories.length > maxMounts)
        throw new ToolError(tooMuch);
      const { temporary, home: ownHome, noGit, sealed, filter } = await place.folders();
      const joined = { network: how.network !== "any", processes: how.write };
      const before = how.joins ? await place.enter(joined) : null;
      keepCaches();
      const profile: Profile = {
        write: how.write,
        shows,
        roots: writes,
        home,
        results: workspace.ownResults(),
        ...(how.cwdFile !== undefined && { cwdFile: how.cwdFile }),
        cwd: how.cwd,
        temporary,
        ownHome,
        noGit,
        sealed,
        sockets: how.network === "any" ? [] : foreignSockets(sockets),
        joined: before !== null,
        hidden,
        replaced: await place.withoutCredentials(configs.filter((path) => !isOpened(path))),
        kept: repositories.filter((folder) => isInside(writes, folder)),
        fixed,
        open: linked.flatMap((path) => openWorkFolders(path, own.includes(dirname(path)))),
        noHooks: repositories
          .flatMap((folder) => ["hooks", "info"].map((name) => join(folder, name)))
          .filter(isMissing),
        caches,
        downloads: how.network !== "off",
        writable: how.writable.filter((path) => !isInside(writes, path) || secrets.includes(path)),
        network: how.network,
        programs: await findPrograms(how.path),
      };
      const seen = { hidden: secret, repositories };
      if (process.platform === "darwin") {
        const { macVariables, wrapForMac } = await import("./mac.ts");
        return {
          ...seen,
          ...(await wrapForMac(profile, how.reach)),
          variables: macVariables(profile),
        };
      }
      const args = bubblewrapArguments(profile);
      return {
        ...seen,
        before: [...withFilter(filter), ...(before ?? []), program, ...args],
        gate: null,
        variables: { TMPDIR: "/tmp" },
      };
    },

    /** For one command. Throws when it cannot listen. */
    async openProxy(gate: Gate): Promise<HostProxy> {
      const { openHostProxy } = await import("./network/host-proxy.ts");
      proxies += 1;
      const { sockets } = await place.folders();
      return openHostProxy(join(sockets, `proxy-${proxies}`), firstPort + proxies, gate);
    },
  };
}

/** The program that confines commands in these folders, or why they cannot be confined. */
export async function confinerFor(own: readonly string[], home: string): Promise<Confiner> {
  const holdsSystem = own.some((root) =>
    ["/usr", "/proc", "/dev", "/System"].some((path) => holds(root, path)),
  );
  if (holdsSystem)
    return { why: "the folder holds the system itself", fix: "open the folder of a project" };
  // Inside the sandbox root has no CAP_DAC_OVERRIDE: it cannot enter or write files of other users.
  const owner = (path: string): number => attempt(() => statSync(path).uid, 0);
  const isForeignOwned =
    process.getuid?.() === 0 && [...own, home].some((path) => owner(path) !== 0);
  if (isForeignOwned)
    return {
      why: "root works in the folder or home of another user",
      fix: "start it as that user",
    };
  return findConfiner();
}

/** How a command is started, and which files it sees. */
export type Confined = {
  /** Words before its own. */
  before: string[];
  variables: Record<string, string>;
  /** Files with secrets, which look empty. */
  hidden: string[];
  repositories: string[];
  /** Null: the caller opens a proxy. */
  gate: NetworkGate | null;
};

/**
 * Folders that commands may write and read, and git directories, which lie elsewhere for linked worktrees and
 * submodules. The rest of a repository around the workspace is readable.
 */
async function rootsOf(own: readonly string[], home: string) {
  const found = (await Promise.all(own.map(findRepository))).filter((one) => one !== null);
  const around = found.flatMap(({ root }) => (holds(root, home) ? [] : [root]));
  const gits = [...new Set(found.flatMap(({ common }) => common))];
  const isIn = (folders: readonly string[], path: string): boolean =>
    folders.some((folder) => holds(folder, path));
  const writes = [...own, ...gits.filter((folder) => !isIn(own, folder))];
  const shows = [...around.filter((folder) => !isIn(own, folder)), ...own];
  return { writes, shows: [...new Set(shows)], gits };
}

const maxConfigBytes = 256 * 1024;

/** Folders from which git runs hooks, because its settings say so; they count from the top of a repository. */
async function hookFolders(configs: readonly string[], tops: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(configs.map((path) => textOfRegular(path, maxConfigBytes)));
  const names = texts.flatMap((text) =>
    [...(text ?? "").matchAll(/^\s*hookspath\s*=\s*"?(.+?)"?\s*$/gim)].map(([, name = ""]) => name),
  );
  const paths = names.flatMap((name) =>
    tops.map((top) => attempt(() => realpathSync(resolve(top, name)), top)),
  );
  return [...new Set(paths)].filter((path) => !tops.includes(path));
}

/** Links are not followed. */
const isFile = (path: string): boolean =>
  attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false, false);

const isMissing = (path: string): boolean =>
  attempt(() => lstatSync(path, { throwIfNoEntry: false }) === undefined, true);

/** Symlinks cannot be mounted over: their targets are fixed, and new ones are taken back. */
const isLink = (path: string): boolean => attempt(() => lstatSync(path).isSymbolicLink(), false);

/** Commands that run at the same time in one network have proxies on different ports. */
const firstPort = 31_280;

const tooMuch =
  "The workspace holds too many files that other programs run by themselves, such as hooks and settings, for a " +
  "sandbox to protect. Send it again with sandbox: false, which needs approval.";

/** Limited by the length of a command line. */
const maxMounts = 2_000;

/** Folders of linked packages, the uppermost first: bubblewrap takes longer for each mount. */
const maxLinked = 20;

const maxLinks = 10;

/**
 * Hidden folders that programs in `path` need: targets of its symlinks, with the packages around them. Never `home`
 * itself.
 */
async function programFolders(
  path: readonly string[],
  isHidden: (path: string) => boolean,
  home: string,
): Promise<string[]> {
  const found = new Set<string>(path.filter(isHidden));
  const folders = path.map((folder) => realpath(folder).catch(() => folder));
  for (const folder of new Set(await Promise.all(folders))) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) continue;
      for (const target of linkedPaths(join(folder, entry.name))) {
        if (isHidden(target)) found.add(findPackage(target, home));
      }
    }
  }
  const shown = [...found].filter((folder) => !holds(folder, home));
  return shown.filter((folder) => !shown.some((other) => other !== folder && holds(other, folder)));
}

/** Every path from a link to its final target. Synchronous: hundreds of calls of microseconds each. */
function linkedPaths(link: string): string[] {
  const places: string[] = [];
  let at = link;
  for (let links = 0; links < maxLinks; links += 1) {
    const target = attempt(() => readlinkSync(at), null);
    if (target === null) break;
    at = resolve(dirname(at), target);
    places.push(at);
  }
  return places;
}

/** `.../node_modules` for its packages, the parent of a `bin`, or the program's own folder. */
function findPackage(program: string, home: string): string {
  const modules = /^(.*?\/node_modules)\//.exec(program)?.[1];
  if (modules !== undefined) return modules;
  const folder = dirname(program);
  const parent = dirname(folder);
  return basename(folder) === "bin" && parent !== home && parent !== "/" ? parent : folder;
}
