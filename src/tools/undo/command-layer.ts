/**
 * A copy-on-write workspace for one command. Nothing that the command writes is in the real one before all of it
 * was looked at: what other programs would run waits for the user, and what somebody else changed meanwhile stays.
 */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { bytesOfPath, dirname } from "../../base/path-bytes.ts";
import { pauser } from "../../base/pauser.ts";
import { folderName, isPack, maxKeptBytes, sameName, wholeOf } from "../../protocol/kept.ts";
import { clearMarks } from "../../trust/sandbox/overlay-marks.ts";
import { viewIn, type LayerPlace } from "../../trust/sandbox/layers.ts";
import { removeOverlays } from "../../trust/sandbox/overlay.ts";
import type { CommandLayer, Execution } from "../tool.ts";
import { describeError } from "../workspace.ts";
import { asideName, move, readRegular, setMode, type Aside } from "./aside.ts";
import type { judgeChanges } from "./judge-change.ts";
import { openJournal } from "./journal.ts";
import { mergeLayer, setModes } from "./layer-merge.ts";
import { readLayer, withInner, type LayerNode } from "./layer-tree.ts";
import { linkAt, lock, permissionBits, readClosed, unseen, type Unlocked } from "./look-at.ts";
import type { StateChange } from "./workspace-state.ts";

export type LayerOptions = LayerPlace & {
  execution: Execution;
  /** For what is set aside, and for what is kept for a rewind; both new and private. */
  asideFolder: string;
  keptFolder: string;
  hasEffect: ReturnType<typeof judgeChanges>["hasEffect"];
  show(path: string): string;
  save(bytes: Uint8Array): Promise<string>;
  /** More than this is not saved for a rewind but moved, in bytes. */
  maxBytes: number;
};

/** `asides`: they wait for an answer of the user. `note`: for the model. */
export type LayerChanges = {
  files: StateChange[];
  asides: Aside[];
  note: string;
  /** Before more is changed because of an answer. */
  intend(changes: readonly StateChange[]): Promise<void>;
  /** When all is in the log. */
  close(): void;
};

/** Why something is not taken over. "changed": somebody else changed it meanwhile. */
type Fate = "effect" | "unkept" | "changed" | "open" | "special" | "failed";

type Reported = { path: string; fate: Fate; to: string | null };

export type OpenLayer = ReturnType<typeof openLayer>;

export function openLayer(options: LayerOptions) {
  const { folder, overlays, execution, show } = options;
  const ledTo = new Set<string>();
  const sinceMs = Math.min(...overlays.map(({ upper }) => lstatSync(upper).ctimeMs));
  const roots = overlays.map(({ root }) => root);
  const journal = openJournal(folder, { roots, aside: options.asideFolder });
  const asides: Aside[] = [];
  const reported: Reported[] = [];
  /** Files that shared their content with other names. */
  const broken: string[] = [];
  let names = 0;

  const isNew = (path: string): boolean =>
    (lstatSync(bytesOfPath(path), { throwIfNoEntry: false })?.ctimeMs ?? 0) > sinceMs;

  async function fateOf(node: LayerNode): Promise<Fate | null> {
    const { path, upper, is, was } = node;
    // Such a file could not be made again, either.
    if (
      [is, was].some(
        (stat) => stat && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink(),
      )
    )
      return "special";
    // The time of the last status change cannot be set.
    if (was && !was.isDirectory() && was.ctimeMs > sinceMs) return "changed";
    const kindOf = (stat: typeof is): string | null =>
      stat === null ? null : stat.isDirectory() ? "folder" : "file";
    const after = node.isClosed && is ? unseen : kindOf(is);
    const change = { path, before: kindOf(was), after };
    const asks = await options.hasEffect(
      change,
      { execution, wasAsked: false, ledTo },
      {
        text: async () => (upper === null ? null : readRegular(upper)),
        before: () => (was?.isFile() ? attempt(() => readFileSync(bytesOfPath(path)), null) : null),
        after: () =>
          upper !== null && is?.isFile()
            ? attempt(() => readFileSync(bytesOfPath(upper)), null)
            : null,
      },
    );
    return asks ? "effect" : null;
  }

  async function fatesOf(nodes: readonly LayerNode[]): Promise<Map<LayerNode, Fate>> {
    const fates = new Map<LayerNode, Fate>();
    const all = nodes.flatMap(withInner);
    const pause = pauser();
    for (const node of all) {
      await pause();
      const fate = await fateOf(node);
      if (fate !== null) fates.set(node, fate);
    }
    // While git holds its lock, the files of a repository are git's.
    const isTorn = (node: LayerNode): boolean => {
      const whole = wholeOf(node.path);
      return (
        fates.get(node) === "changed" || (whole.endsWith("/.git") && isNew(`${whole}/index.lock`))
      );
    };
    const torn = new Set(all.filter(isTorn).map(({ path }) => wholeOf(path)));
    for (const node of all)
      if (!fates.has(node) && !node.is?.isDirectory() && torn.has(wholeOf(node.path)))
        fates.set(node, "changed");
    return fates;
  }

  /** Keeps the nodes to take over; moves the rest out of the command's folder. */
  async function prune(
    nodes: readonly LayerNode[],
    fates: Map<LayerNode, Fate>,
  ): Promise<LayerNode[]> {
    const left: LayerNode[] = [];
    for (const node of nodes) {
      const fate = fates.get(node);
      if (fate !== undefined) {
        await takeOut(node, fate);
        continue;
      }
      const inner = await prune(node.inner, fates);
      const isKept = (child: LayerNode): boolean => child.upper === null && !inner.includes(child);
      node.isPartial = inner.some((child) => child.isPartial) || node.inner.some(isKept);
      const isEmptied = node.was === null && node.inner.length > 0 && inner.length === 0;
      node.inner = inner;
      if (!isEmptied) left.push(node);
      else if (node.upper !== null) rmdirSync(bytesOfPath(node.upper));
    }
    return left;
  }

  /** Moves the command's version to where the user can get it. */
  async function takeOut(node: LayerNode, fate: Fate): Promise<void> {
    const { path, upper, is, was } = node;
    let to: string | null = null;
    if (upper !== null && fate === "special") rmSync(bytesOfPath(upper), { force: true });
    else if (upper !== null && is !== null) {
      names += 1;
      mkdirSync(options.asideFolder, { recursive: true, mode: 0o700 });
      to = join(options.asideFolder, asideName(names, path));
      for (const inner of withInner(node))
        if (inner.upper !== null && !inner.is?.isSymbolicLink())
          clearMarks(bytesOfPath(inner.upper));
      await move(bytesOfPath(upper), to);
      await setMode(to, is.isDirectory() ? 0o700 : 0o600);
    }
    if (fate !== "effect" && fate !== "unkept") return void reported.push({ path, fate, to });
    const isUnkept = fate === "unkept";
    const before = was === null ? null : await nameOf(path, was, isUnkept);
    const after = node.isClosed ? unseen : to && is && (await nameOf(to, is, false));
    const mode = was ? { mode: permissionBits(was) } : {};
    const modeAfter = is ? { modeAfter: permissionBits(is) } : {};
    asides.push({ change: { path, before, after, ...mode, ...modeAfter }, to, isUnkept });
  }

  /** The name of a content, which is saved unless it is too large. */
  async function nameOf(path: string, stat: Stats, isTooLarge: boolean): Promise<string> {
    if (stat.isSymbolicLink()) return `link:${linkAt(path)}`;
    if (stat.isDirectory()) return isTooLarge ? folderName(stat) : "folder";
    if (isTooLarge || stat.size > maxKeptBytes || isPack(path)) return sameName(path, stat);
    const bytes = attempt(() => readFileSync(bytesOfPath(path)), null) ?? readClosed(path, stat);
    return bytes === null ? unseen : options.save(bytes);
  }

  const files: StateChange[] = [];
  let removed: Promise<void> = Promise.resolve();

  async function takeOver(): Promise<string> {
    const modes: { path: string; mode: number }[] = [];
    const unlocked: Unlocked[] = [];
    try {
      for (const [at, { root, upper }] of overlays.entries()) {
        const [was, is] = [root, upper].map((folder) => permissionBits(statSync(folder)));
        if (was !== undefined && is !== undefined && was !== is) {
          modes.push({ path: root, mode: is });
          const change = {
            path: root,
            before: "folder",
            after: "folder",
            mode: was,
            modeAfter: is,
          };
          await journal.intend([change]);
          files.push(change);
          chmodSync(upper, is | 0o700);
        }
        const nodes = await readLayer(upper, root, unlocked);
        const left = await prune(nodes, await fatesOf(nodes));
        const keptFolder = `${options.keptFolder}-${at}`;
        const merged = await mergeLayer(root, left, {
          ...options,
          roots,
          keptFolder,
          intend: journal.intend,
        });
        for (const change of merged.files) files.push(change);
        broken.push(...merged.broken);
        for (const change of merged.modes) modes.push(change);
        for (const { node, why } of merged.failed) await takeOut(node, why);
      }
    } finally {
      unlocked.forEach(lock);
      await setModes(modes);
    }
    // Nobody waits for it.
    removed = removeOverlays(viewIn(folder))
      .then(() => rmdirSync(folder))
      .catch(() => undefined);
    return noteAbout(reported, show) + noteAboutLinks(broken.map(show).toSorted());
  }

  const done = Promise.withResolvers<LayerChanges>();
  let hasStarted = false;
  let isMerging = false;

  const layer: CommandLayer = {
    overlays,
    ledTo,
    started: () => void (hasStarted = true),
    async merge() {
      if (!isMerging) {
        isMerging = true;
        let { close } = journal;
        const note = await takeOver().catch((error: unknown) => {
          // The next session finds the rest by it.
          close = () => undefined;
          return `\n[Not all that this command changed could be taken over (${describeError(error)}). The rest is in ${folder}.]`;
        });
        done.resolve({ files, asides, note, intend: journal.intend, close });
      }
      return (await done.promise).note;
    },
  };

  return {
    layer,
    /** Settles when the command has ended and its changes are taken over. */
    changes: done.promise,
    /** Settles when nothing is left of its folder. */
    removed: (): Promise<void> => removed,
    /** Removes it if its command was not started. */
    async release(): Promise<void> {
      if (!hasStarted) await layer.merge();
    },
  };
}

function noteAbout(reported: readonly Reported[], show: (path: string) => string): string {
  const about = (fate: Fate, why: string): string => {
    const found = reported.filter((entry) => entry.fate === fate);
    if (found.length === 0) return "";
    const folders = new Set(found.flatMap(({ to }) => (to === null ? [] : [dirname(to)])));
    const where =
      folders.size === 0 ? "" : ` The command's versions are in ${[...folders].join(", ")}.`;
    return `\n[Not taken over, because ${why}: ${listed(found.map(({ path }) => show(path)))}.${where}]`;
  };
  return (
    about("changed", "somebody else changed it in the workspace while this ran") +
    about("open", "another program has it open and may write to it") +
    about("special", "it is a pipe, a socket or a device") +
    about("failed", "the system refused it")
  );
}

const noteAboutLinks = (names: readonly string[]): string =>
  names.length === 0
    ? ""
    : `\n[No longer hard links: ${listed(names)}. Other names of the same files keep what was there before.]`;

function listed(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return names.slice(0, maxNamed).join(", ") + more;
}

const maxNamed = 20;
