/**
 * Watches what a command changes: all of it can be undone, and what other programs would run is set
 * aside until the user has seen it.
 */

import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { changeInFolder } from "../../base/folder.ts";
import { errorCode } from "../../base/guards.ts";
import { replaceFile } from "../../base/replace-file.ts";
import type { CheckpointFact } from "../../protocol/entry.ts";
import { isHarmlessConfig } from "../git/harmless-config.ts";
import { isInstalled } from "../permission/effects.ts";
import { runsLater, type HomeFolders } from "../permission/sensitive.ts";
import type { Execution, ToolRun } from "../tool.ts";
import { holds } from "../workspace.ts";
import type { StateChange, WorkspaceState } from "./workspace-state.ts";

type WatchOptions = {
  folders: HomeFolders;
  show(path: string): string;
  checkpoint: { save(bytes: Uint8Array): Promise<string> };
  /** Called with the first command. */
  open(): Promise<WorkspaceState>;
};

/** What a command changed, and a note about it for the model. */
export type Watched = { files: CheckpointFact["files"]; note: string };

/** With more files than this, those that are new are not saved: they can be removed, not made again. */
const maxSavedAfter = 200;

const savedAtOnce = 16;

export type CommandWatch = ReturnType<typeof watchCommands>;

export function watchCommands({ folders, show, checkpoint, open }: WatchOptions) {
  let state: Promise<WorkspaceState | null> | null = null;
  let hasBackground = false;
  let earlier: StateChange[] = [];
  let asides = 0;

  /** Null where the state cannot be kept. */
  const opened = (): Promise<WorkspaceState | null> => (state ??= open().catch(() => null));

  /** Whether other programs would run it. `git`: what git may write. */
  async function hasEffect(change: StateChange, execution: Execution, wasAsked: boolean) {
    const { path, after } = change;
    const way = show(path);
    if (!runsLater(path, folders) || isInstalled(way) || after === "folder") return false;
    if (execution.writable.some((one) => holds(one, path))) return false;
    if (!/(?:^|\/)\.git\//.test(way)) return !(wasAsked && execution.git === "any file");
    if (execution.git === null) return true;
    if (!runByGit.test(way) || harmlessInGit.test(way)) return false;
    if (!way.endsWith("/config")) return true;
    const config = await readRegular(path);
    // Our git sets the folder of hooks itself; the user's git, which comes next, does not.
    return config === null || /hookspath/i.test(config) || !isHarmlessConfig(config);
  }

  /** Moves what is there away and puts back what was. Returns where it is now. */
  async function setAside(change: StateChange, folder: string): Promise<Aside> {
    const { path, before, after } = change;
    // A name may be as long as the file system allows.
    const to = join(folder, `${(asides += 1)}-${basename(path).slice(0, shownName)}`);
    const { mode = 0o600 } = (await lstat(path).catch(() => null)) ?? {};
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (after !== null)
      await changeInFolder(dirname(path), { create: false }, async (pathOf) => {
        await move(pathOf(basename(path)), to);
        await setMode(to, 0o600);
      });
    const bytes = before === null || before.includes(":") ? null : (await opened())?.load(before);
    if (bytes) await replaceFile(path, bytes);
    if (before?.startsWith("link:")) await symlink(before.slice("link:".length), path);
    return { change, to: after === null ? null : to, mode: mode & 0o777 };
  }

  async function putBack({ change, to, mode }: Aside): Promise<void> {
    const { path } = change;
    await changeInFolder(dirname(path), { create: to !== null }, async (pathOf) => {
      const there = pathOf(basename(path));
      if (to === null) return rm(there, { force: true, recursive: change.before === "folder" });
      await setMode(to, mode);
      await move(to, there);
    });
  }

  /** The changes that stay, and what to tell the model of the others. */
  async function settle(
    changes: readonly StateChange[],
    { execution, wasAsked }: Judged,
    ask: ToolRun["ask"],
    toolUse: string,
  ): Promise<{ stay: StateChange[]; note: string }> {
    const judged = await Promise.all(
      changes.map(async (change) => ({
        change,
        isAside: await hasEffect(change, execution, wasAsked),
      })),
    );
    const effects = judged.flatMap(({ change, isAside }) => (isAside ? [change] : []));
    const stay = judged.flatMap(({ change, isAside }) => (isAside ? [] : [change]));
    if (effects.length === 0) return { stay, note: "" };
    const folder = join(folders.own, "aside", `${Date.now()}-${toolUse.replace(/[^\w-]/g, "")}`);
    const moved: Aside[] = [];
    const stuck: string[] = [];
    for (const change of effects)
      try {
        moved.push(await setAside(change, folder));
      } catch {
        stuck.push(show(change.path));
      }
    const emptied = await removeEmptied(stay);
    const detail = [
      ...(await Promise.all(moved.map((aside) => describe(aside, show)))),
      ...stuck.map((name) => `${name} (could not be moved aside: it is still there)`),
    ].join("\n\n");
    const answer = await ask({
      id: `${toolUse}-aside`,
      toolUse,
      tool: "Bash",
      title: "Keep the files that this command made for other programs?",
      detail,
      detailKind: "text",
      warning: "Other programs run these files or read settings from them by themselves.",
      rule: null,
    });
    if (answer.allow) {
      for (const aside of moved) await putBack(aside);
      return { stay: [...changes], note: "" };
    }
    const names = effects.map(({ path }) => show(path)).join(", ");
    return {
      stay: stay.filter(({ path }) => !emptied.has(path)),
      note:
        `\n[Not kept, because other programs run them or read settings from them: ${names}. ` +
        `They are in ${folder}. To change such a file, use Write or Edit, which ask the user.]`,
    };
  }

  async function saved(changes: readonly StateChange[]): Promise<CheckpointFact["files"]> {
    const store = await opened();
    const savesAfter = changes.length <= maxSavedAfter;
    const keep = async (hash: string | null): Promise<void> => {
      const bytes = hash === null || !isHash.test(hash) ? null : store?.load(hash);
      if (bytes) await checkpoint.save(bytes);
    };
    const contents = new Set(
      changes.flatMap(({ before, after }) => (savesAfter ? [before, after] : [before])),
    );
    const queue = [...contents];
    while (queue.length > 0) await Promise.all(queue.splice(0, savedAtOnce).map(keep));
    return changes.map((change) => ({ ...change }));
  }

  return {
    /** Before a command. False: what it changes cannot be undone. */
    async begin(): Promise<boolean> {
      const store = await opened();
      if (store === null) return false;
      // What runs in the background has changed files meanwhile.
      if (hasBackground) earlier.push(...(await store.changes()));
      return store.keep();
    },

    /** After it. */
    async finish(judged: Judged, ask: ToolRun["ask"], toolUse: string): Promise<Watched> {
      const store = await opened();
      if (store === null) return { files: [], note: "" };
      hasBackground ||= judged.isBackground || leavesProcesses.test(judged.execution.source);
      const before = earlier.filter((change) => change.before === null);
      const unwatched = earlier.filter((change) => change.before !== null);
      earlier = [];
      const changes = joined([...before, ...(await store.changes())]);
      const { stay, note } = await settle(changes, judged, ask, toolUse);
      return { files: await saved(joined([...unwatched, ...stay])), note };
    },

    /** When the session ends: what was left in the background may have written, too. */
    async close(): Promise<void> {
      const store = await state;
      state = null;
      if (hasBackground && store) {
        const changes = (await store.changes()).filter(({ before }) => before === null);
        const judged: Judged = { execution: confined, wasAsked: false, isBackground: false };
        await settle(changes, judged, async () => ({ allow: false }), "background");
      }
      store?.close();
    },
  };
}

export type Judged = { execution: Execution; wasAsked: boolean; isBackground: boolean };

type Aside = { change: StateChange; to: string | null; mode: number };

const confined: Execution = {
  source: "",
  as: "workspace-write",
  sandbox: "required",
  network: "off",
  writable: [],
  git: null,
};

const isHash = /^[0-9a-f]{64}$/;

/** Lines after which something may go on running and writing. */
const leavesProcesses = /(?<![&>|])&(?![&>])|\b(?:nohup|setsid|disown|coproc)\b/;

/** Files in `.git` from which git runs something. */
const runByGit =
  /(?:^|\/)\.git\/(?:.*\/)?(?:hooks\/|info\/|git-rebase-todo$|(?:config|config\.worktree|commondir|gitdir)$)/;
const harmlessInGit = /\.sample$|\/info\/(?:exclude|refs|sparse-checkout)$/;

/** A path that changed twice changed once. */
function joined(changes: readonly StateChange[]): StateChange[] {
  const byPath = new Map<string, StateChange>();
  for (const change of changes) {
    const known = byPath.get(change.path);
    byPath.set(change.path, known ? { ...change, before: known.before } : change);
  }
  return [...byPath.values()].filter(({ before, after }) => before !== after);
}

/** Folders that the command made and that are empty now. */
async function removeEmptied(changes: readonly StateChange[]): Promise<Set<string>> {
  const removed = new Set<string>();
  for (const { path, before, after } of changes.toReversed()) {
    if (before !== null || after !== "folder") continue;
    if (
      await rmdir(path).then(
        () => true,
        () => false,
      )
    )
      removed.add(path);
  }
  return removed;
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (errorCode(error) !== "EXDEV") throw error;
    const target = await readlink(from).catch(() => null);
    if (target !== null) await symlink(target, to);
    else await replaceFile(to, await readFile(from));
    await rm(from, { force: true });
  }
}

/** Not through a link: its target is somebody else's file. */
async function setMode(path: string, mode: number): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat?.isFile()) await chmod(path, mode).catch(() => undefined);
}

/** Larger files are not read. */
const maxReadBytes = 1024 ** 2;

/** The text of a file; null for links, devices, pipes and large files, which are never opened. */
async function readRegular(path: string): Promise<string | null> {
  const stat = await lstat(path).catch(() => null);
  if (!stat?.isFile() || stat.size > maxReadBytes) return null;
  return readFile(path, "utf8").catch(() => null);
}

/** Characters kept of a name that is set aside. */
const shownName = 60;

const shownLines = 12;

async function describe({ change, to }: Aside, show: (path: string) => string): Promise<string> {
  const name = show(change.path);
  if (to === null) return `${name} (removed)`;
  const kind = change.before === null ? "new" : "changed";
  const target = await readlink(to).catch(() => null);
  if (target !== null) return `${name} (${kind}, a link)\n-> ${target}`;
  const text = (await readRegular(to)) ?? "(not shown)";
  return `${name} (${kind})\n${text.split("\n").slice(0, shownLines).join("\n")}`;
}
