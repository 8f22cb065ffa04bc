/** Looks at the workspace before and after each command that may write; the difference is what a rewind takes back. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../base/guards.ts";
import { counted } from "../base/in-words.ts";
import { hasJournal, openJournal, type LeftCommand } from "./journal.ts";
import { borrow, createObjects, findGit, isContentId, openObjects } from "./objects.ts";
import { openRecords } from "./records.ts";
import { entriesOf, isNotKept, scan, TooMuch, treeOf, type Change, type Look } from "./scan.ts";

export type SnapshotOptions = {
  /** Our own folder. */
  own: string;
  /** Opened folders; the first is the workspace. */
  roots: readonly string[];
  /** The git directory whose objects the workspace's repository uses. */
  repository(): Promise<string | null>;
  /** Something that a command started may still write. */
  mayStillRun(): Promise<boolean>;
};

/** A command that was begun; null: what it changes cannot be undone. */
export type Begun = { id: string; command: string; startMs: number } | null;

/** In words, for the model. */
export type Finished = { files: Change[]; note: string };

export type Snapshots = ReturnType<typeof openSnapshots>;

/** While a longer command runs, people go on working: what changed then need not be the command's. */
const maxAloneMs = 30_000;

/** A larger index is that of a repository whose contents are not copied. */
const maxCopiedIndexBytes = 4 * 1024 ** 2;

const maxStoredBytes = 2 * 1024 ** 3;

/** Where the contents of a workspace's files are. */
export const snapshotFolder = (own: string, root: string): string =>
  join(own, "snapshots", new Bun.CryptoHasher("sha256").update(root).digest("hex").slice(0, 16));

export function openSnapshots(options: SnapshotOptions) {
  const { own } = options;
  const roots = options.roots.filter((root) =>
    options.roots.every((other) => other === root || !root.startsWith(`${other}/`)),
  );
  const [root = "/"] = roots;
  let store: Promise<Awaited<ReturnType<typeof open>>> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let running = 0;
  /** Something that is not waited for may have written since the last look. */
  let mayHaveWritten = false;
  /** Since the last command, by what was left running. */
  let late: Change[] = [];
  let told: string[] = [];
  /** Written by our own tools since the last look. */
  const ours = new Set<string>();

  async function open() {
    const git = findGit();
    if (git === null) throw new NoUndo(noGit);
    const folder = snapshotFolder(own, root);
    createObjects(folder);
    const repository = await options.repository();
    const index = repository && attempt(() => statSync(join(repository, "index")).size, 0);
    if (repository && index && index > maxCopiedIndexBytes)
      borrow(folder, join(repository, "objects"));
    const objects = openObjects(folder, git);
    const records = openRecords(join(folder, "workspace.sqlite"));
    const journal = openJournal(own, roots);
    const known = records.read();
    const opened = { objects, records, journal, tree: treeOf(known, roots) };
    const left = journal.takeLeft();
    if (left.length > 0) await recover(opened, left);
    const current = () =>
      Array.from(entriesOf(opened.tree), ({ kept }) => kept).filter(isContentId);
    void objects.prune(current, Date.now(), maxStoredBytes).catch(() => undefined);
    return opened;
  }

  type Store = Awaited<ReturnType<typeof open>>;

  const opened = (): Promise<Store> => (store ??= open());

  /** One after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work);
    turn = next;
    return next;
  }

  /** Contents are durable when it returns. Throws `NoUndo` and the system's errors. */
  async function look(from: Store): Promise<Look> {
    const writer = from.objects.writer();
    try {
      const seen = await scan(from.tree, { roots, skipped: [own] }, writer.add);
      await writer.finish();
      if (seen.changed.size + seen.gone.size > 0) from.records.write(seen.changed, seen.gone);
      return seen;
    } catch (error) {
      writer.abandon();
      from.tree = treeOf(from.records.read(), roots);
      throw error instanceof TooMuch ? new NoUndo(tooMuch) : error;
    }
  }

  /** What killed sessions did: a command that ended is known; one that did not changed what is different now. */
  async function recover(from: Store, left: readonly LeftCommand[]): Promise<void> {
    const ended = left.flatMap(({ files }) => files ?? []);
    const open = left.filter(({ files }) => !files);
    const found = open.length > 0 ? asUnsure((await look(from)).changes) : [];
    late = joined([...late, ...ended, ...found]);
    for (const { command } of open)
      told.push(
        `An earlier session ended while a command ran (${command}): ${counted(found.length, "path")} changed since; /rewind lists them.`,
      );
  }

  /** What changed while nothing ran: of the user, unless something is left running. */
  async function lookBetween(from: Store): Promise<void> {
    const { changes } = await look(from);
    if (mayHaveWritten)
      late = joined([...late, ...asUnsure(changes.filter(({ path }) => !ours.has(path)))]);
    ours.clear();
    mayHaveWritten = mayHaveWritten && (await options.mayStillRun());
  }

  return {
    /** Why commands cannot be undone here, in a sentence; null: they can. */
    whyNone: (): string | null => (findGit() === null ? noGit : null),

    /** Before a command. `why`: in a sentence, if it cannot be undone. */
    begin: (command: string): Promise<{ begun: Begun; why: string }> =>
      inTurn(async () => {
        try {
          const from = await opened();
          if (running === 0) await lookBetween(from);
          running += 1;
          const begun = { ...from.journal.begin(command), startMs: Date.now() };
          return { begun, why: "" };
        } catch (error) {
          return { begun: null, why: error instanceof NoUndo ? error.message : unsaved };
        }
      }),

    /** After it, always. */
    finish(begun: NonNullable<Begun>, isBackground: boolean): Promise<Finished> {
      const endMs = Date.now() + 1;
      return inTurn(async () => {
        running -= 1;
        const from = await opened();
        const isAlone = !isBackground && endMs - begun.startMs < maxAloneMs;
        mayHaveWritten = isBackground || mayHaveWritten || (await options.mayStillRun());
        let seen: Look;
        try {
          seen = await look(from);
        } catch (error) {
          return { files: late.splice(0), note: error instanceof NoUndo ? error.message : unsaved };
        }
        ours.clear();
        const isSure = isAlone && !from.journal.isBeside(begun.id);
        const found = seen.changes.map((change) =>
          isSure && (seen.latest.get(change.path) ?? 0) <= endMs
            ? change
            : { ...change, unsure: true as const },
        );
        const files = joined([...late.splice(0), ...withoutInner(found)]);
        from.journal.end(begun.id, begun.command, files);
        return { files, note: "" };
      });
    },

    /** When a turn ends and before a rewind: what was written since the last command, and what is to be told. */
    settle: (): Promise<{ files: Change[]; told: string[] }> =>
      inTurn(async () => {
        if (running === 0 && (store !== null || hasJournal(own)))
          await opened()
            .then((from) => (mayHaveWritten ? lookBetween(from) : undefined))
            .catch(() => undefined);
        return { files: running === 0 ? late.splice(0) : [], told: told.splice(0) };
      }),

    /** All changes that were returned are in the log. */
    async logged(): Promise<void> {
      if (store !== null) (await store.catch(() => null))?.journal.logged();
    },

    /** Our own tools wrote these files. */
    async wrote(paths: readonly string[]): Promise<void> {
      for (const path of paths) ours.add(path);
      if (store !== null && paths.length > 0) (await store.catch(() => null))?.journal.tellOthers();
    },

    /**
     * Of these absolute paths those, or what lies in them, that a rewind could not bring back: folders that are left
     * out (with a slash at the end), and large files.
     */
    notRestorable: (paths: readonly string[]): Promise<string[]> =>
      inTurn(async () => {
        const from = await opened().catch(() => null);
        if (from === null) return [...paths];
        if (from.tree.size === 0 && running === 0) await look(from).catch(() => undefined);
        const found = new Set<string>();
        for (const { path, kept } of entriesOf(from.tree)) {
          if (!isNotKept(kept)) continue;
          const isMeant = (given: string): boolean =>
            given === path || path.startsWith(`${given}/`) || given.startsWith(`${path}/`);
          if (paths.some(isMeant)) found.add(kept.startsWith("out:") ? `${path}/` : path);
        }
        return [...found];
      }),

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

export class NoUndo extends Error {}

const noGit = "Commands cannot be undone here, because git is not installed.";
const tooMuch = "The folder holds too many files to undo what commands change.";
const unsaved =
  "The state of the folder could not be saved: what commands change cannot be undone.";

const asUnsure = (changes: readonly Change[]): Change[] =>
  withoutInner(changes).map((change) => ({ ...change, unsure: true }));

/** What lies in a folder that is left out and came or went is not undone by itself. */
function withoutInner(changes: readonly Change[]): Change[] {
  const isOut = (kept: string | null): boolean => kept?.startsWith("out:") === true;
  const outs = changes.filter(({ before, after }) => isOut(before) || isOut(after));
  if (outs.length === 0) return [...changes];
  return changes.filter(({ path }) => !outs.some((out) => path.startsWith(`${out.path}/`)));
}

/** A path that changed twice changed once. */
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
