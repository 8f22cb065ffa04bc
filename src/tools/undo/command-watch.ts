/**
 * Watches what a command changes: all of it can be undone, and what other programs would run is set
 * aside until the user has seen it.
 */

import { join } from "node:path";
import { dirname } from "../../base/path-bytes.ts";
import type { CheckpointFact } from "../../protocol/entry.ts";
import type { HomeFolders } from "../../trust/sensitive.ts";
import type { Execution, ToolRun } from "../tool.ts";
import {
  asideName,
  describe,
  isHash,
  missingAbove,
  openFolder,
  putBack,
  readRegular,
  removeEmptied,
  setAside,
  type Aside,
} from "./aside.ts";
import { judgeChanges } from "./judge-change.ts";
import type { StateChange, WorkspaceState } from "./workspace-state.ts";

type WatchOptions = {
  folders: HomeFolders;
  show(path: string): string;
  checkpoint: { save(bytes: Uint8Array): Promise<string> };
  /** Called with the first command. `isWatched`: whether other programs run a file at such a path. */
  open(isWatched: (path: string) => boolean): Promise<WorkspaceState>;
  /** Something that a confined command started may still write. */
  mayStillRun(): Promise<boolean>;
};

/** The changes of a command, and a note about them for the model. */
export type CommandChanges = { files: CheckpointFact["files"]; note: string };

/** With more files than this, those that are new are not saved: they can be removed, not made again. */
const maxSavedAfter = 200;
const savedAtOnce = 16;

export type CommandWatch = ReturnType<typeof watchCommands>;

export function watchCommands(options: WatchOptions) {
  const { folders, show, checkpoint } = options;
  let state: Promise<WorkspaceState | null> | null = null;
  /** An unconfined command left something that nobody keeps track of. */
  let isUntracked = false;
  /** Something may have written since the last look. */
  let mayHaveWritten = false;
  /** Commands that run now. */
  let running = 0;
  let beginning: Promise<unknown> = Promise.resolve();
  let asides = 0;
  /** Since the last command: what stays, and what was set aside and not asked about yet. */
  let earlier: StateChange[] = [];
  /** Our own writes since the last look. */
  const ours = new Map<string, string | null>();
  let unasked: Aside[] = [];
  /** Some of it was not made by a command that was waited for. */
  let mayBeUsers = false;
  /** Files that other programs reached through a symlink before the command. */
  let ledTo: ReadonlySet<string> = new Set();

  const { isWatched, hasEffect } = judgeChanges(folders, show);

  /** A new private folder. */
  const placeFor = (kind: "aside" | "kept", why: string): string =>
    join(folders.own, kind, `${Date.now()}-${why.replace(/[^\w-]/g, "")}`);

  /** Null where the state cannot be kept. */
  const opened = (): Promise<WorkspaceState | null> =>
    (state ??= options.open(isWatched).catch(() => null));

  /** Changes since the last look, except our own. */
  async function changesSince(store: WorkspaceState): Promise<StateChange[]> {
    const changes = await store.changes();
    const theirs = changes.map((change) => ({
      ...change,
      before: ours.get(change.path) ?? (ours.has(change.path) ? null : change.before),
    }));
    ours.clear();
    return theirs.filter(
      ({ before, after }, at) => before !== after || before === changes[at]?.before,
    );
  }

  /** Sets aside what other programs run; the changes that stay. */
  async function secure(
    changes: readonly StateChange[],
    { execution, wasAsked }: JudgedCommand,
    why: string,
  ): Promise<StateChange[]> {
    const kept = await opened();
    const load = (hash: string | null) => (isHash(hash) ? (kept?.load(hash) ?? null) : null);
    const judged = await Promise.all(
      changes.map(async (change) => ({
        change,
        isAside: await hasEffect(
          change,
          { execution, wasAsked, ledTo },
          {
            text: () => readRegular(change.path),
            before: () => load(change.before),
            after: () => load(change.after),
          },
        ),
      })),
    );
    const stay = judged.flatMap(({ change, isAside }) => (isAside ? [] : [change]));
    if (stay.length === changes.length) return stay;
    const folder = placeFor("aside", why);
    for (const { change, isAside } of judged) {
      if (!isAside) {
        await openFolder(change).catch(() => undefined);
        continue;
      }
      try {
        asides += 1;
        const to = join(folder, asideName(asides, change.path));
        unasked.push(await setAside(change, to, load));
        ours.set(change.path, change.before);
      } catch {
        unasked.push({ change, to: "stuck" });
      }
    }
    const emptied = removeEmptied(stay);
    for (const path of emptied) ours.set(path, null);
    return stay.filter(({ path }) => !emptied.has(path));
  }

  /** Asks about all that was set aside; what goes back, and a note for the model about the rest. */
  async function askAbout(
    ask: ToolRun["ask"],
    toolUse: string,
    intend: (changes: StateChange[]) => Promise<void> = async () => undefined,
  ): Promise<{ back: StateChange[]; note: string }> {
    const found = unasked;
    const why = mayBeUsers ? maker : "";
    unasked = [];
    mayBeUsers = false;
    if (found.length === 0) return { back: [], note: "" };
    const answer = await ask({
      id: `${toolUse}-aside`,
      toolUse,
      tool: "Bash",
      title: "Keep these changes of the command?",
      detail: (await Promise.all(found.map((aside) => describe(aside, show)))).join("\n\n"),
      detailKind: "text",
      warning: `Other programs run these files or read settings from them by themselves${found.some(({ isUnkept }) => isUnkept) ? ", or a rewind could not bring back what was there" : ""}.${why}`,
      rule: null,
    });
    const moved = found.filter(({ to }) => to !== "stuck");
    if (answer.allow) {
      const back = [...missingAbove(moved), ...found.map(({ change }) => change)];
      await intend(back);
      for (const { path } of moved.map(({ change }) => change)) ours.delete(path);
      for (const aside of moved) await putBack(aside);
      return { back, note: "" };
    }
    const names = found.map(({ change }) => show(change.path)).join(", ");
    const places = new Set(moved.flatMap(({ to }) => (to === null ? [] : [dirname(to)])));
    const where = places.size === 0 ? "" : `They are in ${[...places].join(", ")}. `;
    return {
      back: [],
      note:
        `\n[Not kept, because other programs run them or read settings from them: ${names}. ` +
        `${where}To change such a file, use Write or Edit, which need approval.]`,
    };
  }

  /** Writes since the last look by processes that a command left running. */
  async function lookBetween(store: WorkspaceState): Promise<void> {
    const changes = await changesSince(store);
    // Only the user can have changed a file that has stayed where it was.
    const isOpen = ({ path, before }: StateChange): boolean => {
      const repository = /^.*?\/\.git(?=\/)/.exec(path)?.[0];
      // Nothing that git's folder is open to is left running.
      if (repository !== undefined) return store.isMade(repository);
      return before === null || store.isMade(path);
    };
    const stay = await secure(changes.filter(isOpen), leftRunning, "background");
    mayBeUsers ||= unasked.length > 0;
    earlier = joined([...earlier, ...changes.filter((change) => !isOpen(change)), ...stay]);
    mayHaveWritten = isUntracked || (await options.mayStillRun());
  }

  async function saved(changes: readonly StateChange[]): Promise<CheckpointFact["files"]> {
    const store = await opened();
    const savesAfter = changes.length <= maxSavedAfter;
    const keep = async (hash: string | null): Promise<void> => {
      const bytes = isHash(hash) ? store?.load(hash) : null;
      if (bytes) await checkpoint.save(bytes);
    };
    const contents = new Set(
      changes.flatMap(({ before, after }) => (savesAfter ? [before, after] : [before])),
    );
    const queue = [...contents];
    while (queue.length > 0) await Promise.all(queue.splice(0, savedAtOnce).map(keep));
    return [...changes];
  }

  /** Before a question. */
  async function look(): Promise<void> {
    const store = mayHaveWritten && running === 0 ? await opened() : null;
    if (store) await lookBetween(store).catch(() => undefined);
  }

  async function keep(): Promise<boolean> {
    const store = await opened();
    if (store === null) return false;
    if (!mayHaveWritten) {
      ours.clear();
      return store.keep();
    }
    await lookBetween(store);
    return store.isComplete();
  }

  /** Notes files that are written with approval, or after a look. */
  const wrote = (files: readonly StateChange[]): void =>
    files.forEach(({ path, after }) => ours.set(path, after));

  async function start(): Promise<boolean> {
    if (running === 0 && !(await keep().catch(() => false))) return false;
    running += 1;
    const store = await opened();
    ledTo = store?.ledTo() ?? ledTo;
    return true;
  }

  return {
    /**
     * Before a command; false: what it changes cannot be undone. One after the other, since the state
     * must not be kept again while a command that began is writing.
     */
    begin(): Promise<boolean> {
      const begun = beginning.then(start, start);
      beginning = begun;
      return begun;
    },

    /** After it; always. */
    async finish(
      judged: JudgedCommand,
      ask: ToolRun["ask"],
      toolUse: string,
    ): Promise<CommandChanges> {
      const store = await opened();
      running -= 1;
      if (store === null) return { files: [], note: "" };
      const { execution, isBackground } = judged;
      isUntracked ||=
        !execution.confined && (isBackground || leavesProcesses.test(execution.source));
      mayHaveWritten = isUntracked || isBackground || (await options.mayStillRun());
      const changes = await changesSince(store).catch(() => null);
      if (changes === null) return { files: [], note: unsaved };
      const stay = await secure(changes, judged, toolUse);
      const { back, note } = await askAbout(ask, toolUse);
      const files = await saved(joined([...earlier, ...stay, ...back]));
      earlier = [];
      return { files, note: note + (store.isComplete() ? "" : tooMany) };
    },

    look,

    /** When a turn ends and before a rewind: looks, and returns what was written since the last command. */
    async settle(): Promise<{ files: CheckpointFact["files"]; told: string[] }> {
      await look();
      const written = running === 0 ? earlier.splice(0) : [];
      return { files: await saved(written), told: [] };
    },

    wrote,

    /** Whether something lies at this path that could not be restored. */
    async isUnkept(path: string): Promise<boolean> {
      const store = await opened();
      if (store?.isComplete() === false && running === 0) await store.keep();
      return store?.isUnkept(path) === true;
    },

    /** When the session ends: what was left in the background may have written, too. */
    async close(): Promise<void> {
      const store = await state;
      if (store && mayHaveWritten) await lookBetween(store).catch(() => undefined);
      state = null;
      store?.close();
    },
  };
}

const maker =
  " They were made while something that a command left still ran; if you made them, keep them.";

const tooMany =
  "\n[The folder now holds more files than can be looked at: what was made beyond that is not undone by a rewind.]";

const unsaved =
  "\n[The state of the folder could not be saved, perhaps because the disk is full: what this changed is not undone by a rewind.]";

export type JudgedCommand = { execution: Execution; wasAsked: boolean; isBackground: boolean };

const leftRunning: JudgedCommand = {
  execution: {
    source: "",
    confined: true,
    write: true,
    network: "off",
    writable: [],
  },
  wasAsked: false,
  isBackground: true,
};

/** Lines after which something may go on running and writing. */
const leavesProcesses = /(?<![&>|])&(?![&>])|\b(?:nohup|setsid|disown|coproc)\b/;

/** A path that changed twice changed once. */
function joined(changes: readonly StateChange[]): StateChange[] {
  const byPath = new Map<string, StateChange>();
  for (const change of changes) {
    const { before, mode } = byPath.get(change.path) ?? change;
    const { path, after, modeAfter } = change;
    byPath.set(path, {
      path,
      before,
      after,
      ...(mode !== undefined && { mode }),
      ...(modeAfter !== undefined && { modeAfter }),
    });
  }
  return [...byPath.values()].filter(
    ({ before, after, mode, modeAfter }) => before !== after || mode !== modeAfter,
  );
}
