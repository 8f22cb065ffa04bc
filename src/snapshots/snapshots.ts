/** Scans the workspace before and after each command that may write; a rewind undoes the differences. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { clipLine } from "../base/clip.ts";
import { attempt } from "../base/guards.ts";
import { counted } from "../base/format.ts";
import { attribute, type Naming } from "./attribution.ts";
import type { LeftCommand } from "./journal.ts";
import {
  borrow,
  createObjects,
  findGit,
  openObjects,
  rotateObjects,
  snapshotFolder,
} from "./objects.ts";
import {
  entriesOf,
  isNotKept,
  scan,
  NoUndo,
  treeOf,
  type Change,
  type ScanResult,
} from "./scan.ts";

type SnapshotOptions = {
  /** Our own folder. */
  own: string;
  /** Opened folders; the first is the workspace. */
  roots: readonly string[];
  /** The git directory whose objects the workspace's repository uses. */
  repository(): Promise<string | null>;
  /** Whether a background process may still write. */
  mayStillRun(): Promise<boolean>;
  /** Called once, with the first command. */
  opened?(): void;
  maxEntries?: number;
};

/** A running command; null: its changes cannot be undone. */
export type Begun = { id: string; command: string; startMs: number } | null;

/**
 * `inner`: changes inside folders that entered or left the snapshot, which are not undone separately. `note`: a
 * sentence for the model.
 */
export type Finished = { files: Change[]; inner: Change[]; note: string };

export type Snapshots = ReturnType<typeof openSnapshots>;

export function openSnapshots(options: SnapshotOptions) {
  const { own } = options;
  /** One process can hold several. */
  const session = crypto.randomUUID();
  const roots = options.roots.filter((root) =>
    options.roots.every((other) => other === root || !root.startsWith(`${other}/`)),
  );
  const [root = "/"] = roots;
  let store: Promise<Awaited<ReturnType<typeof openStore>>> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  /** Commands that run now, by their ids. */
  const running = new Map<string, { naming: Naming; startMs: number }>();
  /** A background process may have written since the last scan. */
  let mayHaveWritten = false;
  /** Changes since the last command, by background processes. */
  let late: Change[] = [];
  let lateInner: Change[] = [];
  let told: string[] = [];
  /** Written by our own tools since the last scan; `open`: about to be written. */
  const ours = new Set<string>();
  const open = new Set<string>();
  /** Changed by other writers since the first scan, and not by us afterwards. */
  const theirs = new Set<string>();
  let hasScanned = false;
  /** A folder that is too large is scanned once: that takes seconds. */
  let tooLarge: NoUndo | null = null;

  async function openStore() {
    const git = findGit();
    // A git inside the workspace is not trusted.
    if (git === null || roots.some((folder) => git.startsWith(`${folder}/`)))
      throw new NoUndo(noGit);
    const folder = snapshotFolder(own, root);
    rotateObjects(folder, Date.now());
    createObjects(folder);
    const repository = await options.repository();
    if (repository !== null) borrow(folder, repository);
    const objects = openObjects(folder, git);
    // Loaded late: the first frame does not wait for their schemas.
    const [{ openRecords }, { openJournal }] = await Promise.all([
      import("./records.ts"),
      import("./journal.ts"),
    ]);
    const records = openRecords(join(folder, "workspace.sqlite"));
    const journal = openJournal(own, session, roots);
    const known = records.read();
    const opened = { objects, records, journal, tree: treeOf(known, roots) };
    const left = journal.takeLeft();
    if (left.length > 0) await recover(opened, left);
    options.opened?.();
    void objects.repack().catch(() => undefined);
    return opened;
  }

  type Store = Awaited<ReturnType<typeof openStore>>;

  const opened = (): Promise<Store> =>
    (store ??= openStore().catch((error: unknown) => {
      store = null;
      throw error;
    }));

  /** Serializes operations. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work);
    turn = next;
    return next;
  }

  /**
   * Contents are durable when it returns. `note` persists the changes before the records do.
   * Throws `NoUndo` and the system's errors.
   */
  async function persistScan(
    from: Store,
    note: (seen: ScanResult) => void = () => undefined,
  ): Promise<ScanResult> {
    if (tooLarge !== null) throw tooLarge;
    const writer = from.objects.writer();
    try {
      const { maxEntries } = options;
      const seen = await scan(from.tree, { roots, skipped: [own], maxEntries }, writer.add);
      await writer.finish();
      note(seen);
      if (seen.changed.size + seen.gone.size > 0) from.records.write(seen.changed, seen.gone);
      return seen;
    } catch (error) {
      if (error instanceof NoUndo) tooLarge = error;
      writer.abandon();
      from.tree = treeOf(from.records.read(), roots);
      throw error;
    }
  }

  /** Recovers changes of killed sessions: recorded ones of ended commands, and all other differences for the rest. */
  async function recover(from: Store, left: readonly LeftCommand[]): Promise<void> {
    const ended = left.flatMap(({ files }) => files ?? []);
    const open = left.filter(({ files }) => !files);
    late = joined([...late, ...left.flatMap((entry) => entry.late ?? []), ...ended]);
    const keep = ({ changes }: ScanResult): void => {
      addLate(changes);
      for (const { id, command } of open) from.journal.end(id, command, late);
    };
    const found = open.length > 0 ? (await persistScan(from, keep)).changes : [];
    for (const { command, files = found } of left)
      if (files.length > 0)
        told.push(
          `An earlier session ended abruptly at a command (${oneLine(command)}): it changed ${counted(files.length, "path")}, which /rewind lists.`,
        );
  }

  function addLate(changes: readonly Change[]): void {
    const { files, inner } = sorted(
      changes.map((change) => ({ ...change, unsure: true as const })),
    );
    late = joined([...late, ...files]);
    lateInner = joined([...lateInner, ...inner]);
  }

  const isOurs = (path: string): boolean => ours.has(path) || open.has(path);

  const takeLate = () => ({ files: late.splice(0), inner: lateInner.splice(0) });

  /** Scans between commands. The changes are the user's, unless a command left something running. */
  async function scanBetween(from: Store): Promise<void> {
    const foreign = (await persistScan(from)).changes.filter(({ path }) => !isOurs(path));
    if (mayHaveWritten) addLate(foreign);
    else if (hasScanned) for (const { path } of foreign) theirs.add(path);
    hasScanned = true;
    ours.clear();
    mayHaveWritten = mayHaveWritten && (await options.mayStillRun());
  }

  return {
    /** Why commands cannot be undone here, in a sentence; null: they can. */
    whyNone: (): string | null => (findGit() === null ? noGit : null),

    /** Commands at which earlier sessions ended abruptly, each in a sentence, before they are recovered. */
    async interrupted(): Promise<string[]> {
      if (!hasLeft(own)) return [];
      const { openJournal } = await import("./journal.ts");
      const left = attempt(() => openJournal(own, session, roots).left(), []);
      return left.map(
        ({ command }) =>
          `An earlier session ended abruptly at a command (${oneLine(command)}). After the next turn, /rewind lists its changes, if any.`,
      );
    },

    /** Scans ahead if nothing runs, such as during a question: a first scan takes seconds. */
    async warm(): Promise<void> {
      await inTurn(async () =>
        running.size === 0 ? scanBetween(await opened()) : undefined,
      ).catch(() => undefined);
    },

    /**
     * Scans before a command. `naming`: the paths that its line names. `why`: why the command cannot be undone, as a
     * sentence; empty if it can.
     */
    begin: (command: string, naming: Naming = () => null): Promise<{ begun: Begun; why: string }> =>
      inTurn(async () => {
        try {
          const from = await opened();
          if (running.size === 0) await scanBetween(from);
          const begun = { ...from.journal.begin(command, late), startMs: Date.now() };
          running.set(begun.id, { naming, startMs: begun.startMs });
          return { begun, why: "" };
        } catch (error) {
          return { begun: null, why: error instanceof NoUndo ? error.message : unsaved };
        }
      }),

    /** Called after every command, even a failed one. */
    finish(begun: NonNullable<Begun>, isBackground: boolean): Promise<Finished> {
      const endMs = Date.now() + 1;
      return inTurn(async () => {
        const beside = [...running.values()];
        running.delete(begun.id);
        const others = [...running.values()];
        const from = await opened();
        mayHaveWritten = isBackground || mayHaveWritten || (await options.mayStillRun());
        const before = takeLate();
        let finished: Finished = { ...before, note: "" };
        const keep = (seen: ScanResult): void => {
          // The first of several commands to end finds the changes of all.
          const startMs = Math.min(begun.startMs, ...others.map((other) => other.startMs));
          const sinceMs = Math.min(...beside.map((command) => command.startMs));
          const naming: Naming = (path) => {
            const named = beside.map((other) => other.naming(path));
            return named.find((how) => how === "path") ?? named.find(Boolean) ?? null;
          };
          const elsewhere = from.journal.elsewhere(sinceMs);
          // File tools record their own checkpoints.
          const changes = seen.changes.filter(
            ({ path }) => !isOurs(path) || naming(path) === "path",
          );
          const now = sorted(
            attribute(
              { ...seen, changes },
              { naming, startMs, endMs, isBackground, theirs, elsewhere },
            ),
          );
          const files = joined([...before.files, ...now.files]);
          from.journal.end(begun.id, begun.command, files);
          finished = { files, inner: [...before.inner, ...now.inner], note: "" };
        };
        try {
          await persistScan(from, keep);
          ours.clear();
        } catch (error) {
          finished.note = error instanceof NoUndo ? error.message : unsaved;
        }
        return finished;
      });
    },

    /** At the end of a turn and before a rewind: changes since the last command, and notices. */
    settle: (): Promise<Omit<Finished, "note"> & { told: string[] }> =>
      inTurn(async () => {
        if (running.size === 0 && (store !== null || hasLeft(own)))
          await opened()
            .then((from) => (mayHaveWritten ? scanBetween(from) : undefined))
            .catch(() => undefined);
        const left = running.size === 0 ? takeLate() : { files: [], inner: [] };
        return { ...left, told: told.splice(0) };
      }),

    /** Called once all returned changes are in the log. */
    async logged(): Promise<void> {
      if (store !== null) (await store.catch(() => null))?.journal.logged();
    },

    /** Our own tools are about to write these files, so commands of other sessions did not. */
    async writing(paths: readonly string[]): Promise<void> {
      const { note } = await import("./journal.ts");
      attempt(() => note(own, session, "file", paths), undefined);
      for (const path of paths) open.add(path);
    },

    /** Records files that our own tools wrote. `tried`: the files announced before the attempt. */
    wrote(paths: readonly string[], tried = paths): void {
      for (const path of tried) open.delete(path);
      for (const path of paths) {
        ours.add(path);
        theirs.delete(path);
      }
    },

    /**
     * Excluded folders and large files at, below or above these absolute paths, which a rewind could not restore.
     * All of `paths` if there is no snapshot.
     */
    notRestorable: (paths: readonly string[]): Promise<string[]> =>
      inTurn(async () => {
        if (paths.length === 0) return [];
        const from = await opened().catch(() => null);
        if (from === null) return [...paths];
        if (running.size === 0) await scanBetween(from).catch(() => undefined);
        const found = new Set<string>();
        for (const { path, kept } of entriesOf(from.tree)) {
          if (!isNotKept(kept)) continue;
          const overlaps = (given: string): boolean =>
            given === path || path.startsWith(`${given}/`) || given.startsWith(`${path}/`);
          if (paths.some(overlaps)) found.add(path);
        }
        return [...found];
      }),

    /**
     * Undoes changes as a rewind does. Returns the resulting changes, which can be undone in turn;
     * concurrent changes by other writers are excluded.
     */
    async takeBack(files: readonly Change[]): Promise<Change[]> {
      if (files.length === 0) return [];
      const { openContents, rewindFiles } = await import("./rewind.ts");
      const entry = { id: "", parent: null, at: "", type: "checkpoint", toolUse: "" } as const;
      const rewind = { undo: [{ ...entry, files: [...files] }], redo: [], unsure: true };
      return (await rewindFiles(openContents(own, root, null), rewind, String)).files;
    },

    /** Contents of files before and after. */
    contents: async (ids: readonly string[]): Promise<Map<string, Uint8Array>> =>
      (await opened()).objects.load(ids),

    async close(): Promise<void> {
      await turn.catch(() => undefined);
      const from = await store?.catch(() => null);
      from?.journal.logged();
      from?.records.close();
      store = null;
    },
  };
}

const oneLine = (command: string): string => clipLine(command.replaceAll(/\s+/g, " "), 80);

/** Whether any session has running or unrecovered commands. */
const hasLeft = (own: string): boolean =>
  attempt(
    () => readdirSync(join(own, "snapshots", "running")).some((name) => name.endsWith(".json")),
    false,
  );

const noGit = "Commands cannot be undone here, because git is not installed.";
const unsaved =
  "The state of the folder could not be saved: what commands change cannot be undone.";

/** Separates changes inside folders that entered or left the snapshot. */
function sorted(changes: readonly Change[]): Pick<Finished, "files" | "inner"> {
  const isOut = (kept: string | null): boolean => kept?.startsWith("out:") === true;
  const outs = changes.filter(
    ({ before, after }) => before !== after && (isOut(before) || isOut(after)),
  );
  const isInner = ({ path }: Change): boolean =>
    outs.some((out) => path.startsWith(`${out.path}/`));
  return {
    files: changes.filter((change) => !isInner(change)),
    inner: changes.filter(isInner),
  };
}

/** Merges successive changes of a path. */
function joined(changes: readonly Change[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const change of changes) {
    const first = byPath.get(change.path);
    const { modeAfter, ...rest } = change;
    const { before, mode, unsure } = first ?? change;
    const isUnsure = unsure === true || change.unsure === true;
    byPath.set(change.path, {
      path: rest.path,
      before,
      after: rest.after,
      ...(mode !== undefined && { mode }),
      ...(modeAfter !== undefined && { modeAfter }),
      ...(isUnsure && { unsure: true as const }),
    });
  }
  return [...byPath.values()].filter(
    ({ before, after, mode, modeAfter }) => before !== after || mode !== modeAfter,
  );
}
