/** Private folders for overlays, one per process, so that those of a session that died are found. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { holds } from "../workspace.ts";
import type { Overlay } from "../tool.ts";
import { canOverlay, makeOverlays, removeOverlays, removeWork } from "./overlay.ts";

export type LayerPlace = { folder: string; overlays: readonly Overlay[] };

export type Layers = ReturnType<typeof openLayers>;

/** `own`: our folder. */
export function openLayers(own: string, roots: readonly string[]) {
  const all = join(own, "layers");
  // The overlay of a folder shows those in it.
  const tops = roots.filter((root) => !roots.some((other) => other !== root && holds(other, root)));
  let found: Promise<boolean> | null = null;

  function makeFolder(): string {
    const mine = join(all, nameOf(process.pid));
    mkdirSync(mine, { recursive: true, mode: 0o700 });
    const folder = mkdtempSync(join(mine, "c"));
    writeFileSync(join(folder, rootsFile), tops.join("\n"), { mode: 0o600 });
    return folder;
  }

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
      return { folder, overlays: makeOverlays(folder, tops) };
    },
  };
}

const rootsFile = "workspace";

/** A process can have the id of an earlier one, but not its beginning as well. */
function nameOf(id: number): string {
  const stat = attempt(() => readFileSync(`/proc/${id}/stat`, "utf8"), "");
  return `${id}-${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""}`;
}

/**
 * Moves the changes of commands that their sessions did not outlive to `asideFolder`; returns a sentence for each.
 */
export async function rescueLayers(own: string, asideFolder: string): Promise<string[]> {
  const all = join(own, "layers");
  const told: string[] = [];
  for (const name of list(all)) {
    if (name === nameOf(Number(name.split("-")[0]))) continue;
    for (const command of list(join(all, name))) {
      const folder = join(all, name, command);
      const isEmpty = list(folder).every((part) => list(join(folder, part, "upper")).length === 0);
      if (isEmpty) continue;
      const to = join(asideFolder, `${name}-${command}`);
      mkdirSync(asideFolder, { recursive: true, mode: 0o700 });
      const root = attempt(() => readFileSync(join(folder, rootsFile), "utf8"), "a workspace");
      await removeWork(folder);
      if (!attempt(() => (renameSync(folder, to), true), false)) continue;
      told.push(
        `An earlier session ended before the changes of a command in ${root.replaceAll("\n", ", ")} were taken over: they are in ${to}.`,
      );
    }
    await removeOverlays(join(all, name));
  }
  return told;
}

const list = (folder: string): string[] => attempt(() => readdirSync(folder), []);
