/** Confines commands where the platform can: on Linux with bubblewrap, on macOS with Seatbelt. */

import { lstatSync, mkdirSync, readlinkSync, realpathSync, utimesSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../base/guards.ts";
import { gitFolders } from "../git/git-folders.ts";
import { holds, type Workspace } from "../../tools/workspace.ts";
import { isHiddenFrom, withFilter } from "./bubblewrap.ts";
import { findConfiner } from "./confiner.ts";
import type { Gate, HostProxy } from "./network/host-proxy.ts";
import type { Profile } from "./profile.ts";
import { openLayers } from "./layers.ts";
import { overlayStage } from "./overlay.ts";
import { secretFolders } from "../secrets.ts";
import { listKeyFolders } from "../sensitive.ts";
import { foreignSockets, makeScanner, type ScanTarget } from "./scan.ts";
import { openPlace, type SessionPlace } from "./session-place.ts";
import { cacheVariables, linkedPackages } from "./tool-caches.ts";
import { ToolError, type CommandLayer, type GitAccess } from "../../tools/tool.ts";

type Confinement = Pick<Profile, "kind" | "cwd" | "cwdFile" | "network"> & {
  /** Absolute, without symlinks; they must exist. */
  writable: readonly string[];
  /** The files that git may write; null: it is not run. */
  git: GitAccess | null;
  path: readonly string[];
  /** It runs in the session's namespaces, not in its own. */
  joins: boolean;
  /** It only looks at the workspace, although it is no command of one line. */
  views: boolean;
  /** Read-only, because it could not be restored. */
  unkept: readonly string[];
  /** Its own view of the workspace; null: it sees the real one. */
  layer: CommandLayer | null;
  /** Files that it must not see although it may write; null: there are none. */
  hides: ((path: string) => boolean) | null;
  /** Rules restrict reading, and git, which could show any file, is not among the words that were judged. */
  hidesObjects: boolean;
  /** It sees programs of the home, and of git's configurations only the workspace's. */
  looks: boolean;
};

export type Sandbox = NonNullable<Awaited<ReturnType<typeof openSandbox>>>;

/**
 * `shared`: the place that a session and its subagents have in common; whoever made it closes it. Null
 * where commands cannot be confined; then nothing that needs it should run without approval.
 */
export async function openSandbox(
  workspace: Workspace,
  wanted: ScanTarget,
  shared: { place: SessionPlace | null },
) {
  const own = [workspace.root, ...workspace.added];
  const isInside = (folders: readonly string[], path: string): boolean =>
    folders.some((folder) => holds(folder, path));
  // A workspace that holds the system itself cannot be told apart from it.
  if (["/usr", "/proc", "/dev", "/System"].some((path) => isInside(own, path))) return null;
  const confiner = await findConfiner();
  if (confiner === null) return null;
  const git = await Promise.all(own.map(gitFolders));
  // The common folder of a linked worktree is elsewhere, and git needs it.
  const common = git.flatMap((folders) => folders?.common ?? []);
  const elsewhere = common.filter((folder) => !isInside(own, folder));
  const roots = [...own, ...new Set(elsewhere)];
  const { program, argumentsFor, hasNamespaces } = confiner;
  const { home } = workspace;
  const scan = makeScanner(roots, wanted);
  const place = (shared.place ??= openPlace(hasNamespaces ? program : null));
  let programs: Promise<string[]> | null = null;
  let proxies = 0;
  let usesCaches = false;
  const layers = openLayers(wanted.folders.own, roots);

  /** Our own folder and folders with keys of the user, where they, or links to them, are not in the home. */
  const keysElsewhere = (): string[] =>
    [wanted.folders.own, ...secretFolders.map((folder) => join(home, folder))]
      .map((path) => attempt(() => realpathSync(path), home))
      .filter(
        (path) =>
          !holds(home, path) && !roots.some((root) => holds(root, path) || holds(path, root)),
      );

  /** `PATH` does not change during a session. */
  const findPrograms = (path: readonly string[]): Promise<string[]> =>
    (programs ??= programFolders(path, (folder) => isHiddenFrom(folder, home), home));

  const project = new Bun.CryptoHasher("sha256").update(workspace.root).digest("hex");
  const caches = join(wanted.folders.own, "caches", project.slice(0, 16));

  return {
    /** A command has its own /tmp and network, and all its processes end with it. */
    hasNamespaces,

    /** The folder for temporary files of the session, and the name that commands know it by. */
    async temporaryFolder(): Promise<{ path: string; name: string }> {
      const { temporary: path } = await place.folders();
      return { path, name: hasNamespaces ? "/tmp" : path };
    },

    /** Files that commands wrote to the home since the last call; the real home does not have them. */
    newHomeFiles: (): Promise<string[]> => place.newHomeFiles(),

    /** Something that a command left behind still runs, or may do so. */
    hasProcesses: (): boolean => place.hasProcesses(),

    /** Processes that outlived their commands, and those of one. */
    orphans: place.orphans,
    leftBy: place.leftBy,

    /** Folders for what commands change in a view of their own; null where they can have none. */
    layers: hasNamespaces ? layers : null,

    /** Variables of an approved command. */
    variables: hasNamespaces ? {} : cacheVariables(caches),

    /**
     * The words before a shell and its arguments. Null when there is too much to hide, or to look
     * through. Throws `ToolError` when there is too much to protect.
     */
    async confine(how: Confinement): Promise<string[] | null> {
      const { secrets, effects, ledTo, repositories, sockets, complete } = await scan();
      const { layer } = how;
      for (const path of ledTo) layer?.ledTo.add(path);
      const stage = layer === null ? [] : overlayStage(layer.overlays);
      if (stage === null) return null;
      const isShown = (path: string) =>
        how.git !== null &&
        path.endsWith("/.git/config") &&
        (!how.looks || path === join(workspace.root, ".git/config"));
      const isWork = how.kind === "workspace-write";
      const keys = roots.flatMap((root) => listKeyFolders(root, home));
      const hidden = isWork
        ? [...secrets.filter((path) => how.hides?.(path) && !(how.views && isShown(path))), ...keys]
        : secrets.filter((path) => !isShown(path));
      if ((!isWork || how.hides) && (!complete || hidden.length > maxMounts)) return null;
      if (isWork && !how.views && (!complete || effects.length + repositories.length > maxMounts))
        throw new ToolError(tooMuch);
      const { temporary, home: ownHome, noGit, sealed, filter } = await place.folders();
      const joined = { network: how.network !== "any", processes: layer === null };
      const before = how.joins ? await place.enter(joined) : null;
      const ours = wanted.folders.own;
      const git = [...repositories, ...roots.filter((root) => basename(root) === ".git")];
      const ofGit = effects.filter((path) => isInside(git, path));
      const others = effects.filter((path) => !isInside(git, path));
      const objects = how.hidesObjects ? git.map((folder) => join(folder, "objects")) : [];
      const downloads = how.network !== "off";
      const scripts = [...(wanted.folders.scripts?.values() ?? [])];
      // A changed file of an overlay is no longer that hard link.
      const packages = isWork && !downloads && layer === null ? own.map(linkedPackages) : [];
      if (!usesCaches) {
        usesCaches = true;
        mkdirSync(caches, { recursive: true, mode: 0o700 });
        // Caches that were not used for long are removed.
        const now = new Date();
        utimesSync(caches, now, now);
      }
      const args = argumentsFor({
        kind: how.kind,
        roots,
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
        layered: layer !== null,
        hidden: [
          ...hidden,
          ...objects,
          ...(isWork ? keysElsewhere() : []),
          ...[ours].filter((path) => isInside(roots, path)),
        ],
        kept: git,
        fixed: [
          ...(how.views ? roots : []),
          ...(how.git === null ? git : ofGit.filter((path) => !isConfig(how.git, path))),
          ...(how.git === "any file" ? [] : others),
          ...packages.flatMap(({ fixed }) => fixed),
          ...scripts.filter(
            (path) => !isLink(path) && (!downloads || !path.includes("/node_modules/")),
          ),
          ...how.unkept,
        ].filter((path) => !isInside(how.writable, path)),
        open: packages.flatMap(({ open }) => open),
        caches: how.looks ? null : caches,
        downloads,
        writable: how.writable.filter((path) => !isInside(roots, path)),
        network: how.network,
        programs: isWork || how.looks ? await findPrograms(how.path) : [],
      });
      const filtered = hasNamespaces ? withFilter(filter) : [];
      return [...filtered, ...(before ?? []), ...stage, program, ...args];
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

/** It cannot be mounted over: where it leads is fixed as well, and a new one is set aside. */
const isLink = (path: string): boolean => attempt(() => lstatSync(path).isSymbolicLink(), false);

/** Commands that run at the same time in one network have proxies on different ports. */
const firstPort = 31_280;

/** Subcommands of git that write files of any kind may also change the configuration. */
const isConfig = (git: GitAccess | null, path: string): boolean =>
  git === "any file" && path.endsWith("/config");

const tooMuch =
  "The workspace holds too many files that other programs run by themselves, such as hooks and settings, for a " +
  "sandbox to protect. Send it again with sandbox: false, which needs approval.";

/** A command line has room for a few thousand of them. */
const maxMounts = 2_000;

const maxLinks = 10;

/**
 * Folders to show so that the programs in `path` can start: those that links in it lead to, with
 * the package around them. `isHidden` says what the sandbox hides, `home` is never shown itself.
 */
export async function programFolders(
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

/** Every path from a link to its final target. Synchronous: there are hundreds, of microseconds each. */
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
