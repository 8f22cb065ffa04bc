/** Private folders for overlays, one per process, so that those of a session that died are found. */

import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";
import type { Overlay } from "../../tools/tool.ts";
import { canOverlay, makeOverlays } from "./overlay.ts";

/** `folder`: of one command; the overlays are in its `viewIn`, and the journal of their changes is beside them. */
export type LayerPlace = { folder: string; overlays: readonly Overlay[] };

export const viewIn = (folder: string): string => join(folder, "view");

export type Layers = ReturnType<typeof openLayers>;

/** `own`: our folder. */
export function openLayers(own: string, roots: readonly string[]) {
  // The overlay of a folder shows those in it.
  const tops = roots.filter((root) => !roots.some((other) => other !== root && holds(other, root)));
  let found: Promise<boolean> | null = null;

  const makeFolder = (): string => mkdtempSync(join(layersOf(own), "c"));

  /** Tried once. */
  const works = (): Promise<boolean> =>
    (found ??= canOverlay(makeFolder(), tops).catch(() => false));

  return {
    /** Whether overlays work here. */
    works,

    /** Overlays do not work, although they seemed to. */
    giveUp: (): void => void (found = Promise.resolve(false)),

    /** Null where overlays do not work. Throws the system's error. */
    async open(): Promise<LayerPlace | null> {
      if (!(await works())) return null;
      const folder = makeFolder();
      return { folder, overlays: makeOverlays(viewIn(folder), tops) };
    },
  };
}

/** The folder of this process for them. */
export function layersOf(own: string): string {
  const mine = join(own, "layers", nameOf(process.pid));
  mkdirSync(mine, { recursive: true, mode: 0o700 });
  return mine;
}

/** Whether the process may still run whose folder this is. One of another container cannot be seen. */
export function mayRun(folder: string): boolean {
  const name = basename(folder);
  const [id, , space] = name.split("-");
  if (space !== undefined && space !== processSpace()) return !isOld(folder);
  // Earlier versions named no space.
  return `${nameOf(Number(id))}-`.startsWith(`${name}-`);
}

/** Leftovers of other workspaces, and of other containers, wait for them, in milliseconds. */
const keptMs = 30 * 24 * 60 * 60_000;

export const isOld = (path: string): boolean =>
  attempt(() => statSync(path).mtimeMs, 0) < Date.now() - keptMs;

/** A process can have the id of an earlier one, but not its beginning as well. */
function nameOf(id: number): string {
  const stat = attempt(() => readFileSync(`/proc/${id}/stat`, "utf8"), "");
  return `${id}-${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""}-${processSpace()}`;
}

/** The numbers of processes mean something only in their own namespace. */
const processSpace = (): string =>
  /\d+/.exec(attempt(() => readlinkSync("/proc/self/ns/pid"), ""))?.[0] ?? "";
