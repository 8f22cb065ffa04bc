/** In an overlay, each name of a hard link that is written to becomes a file of its own. */

import { linkSync, lstatSync, readFileSync, renameSync } from "node:fs";
import { attempt } from "../../base/guards.ts";
import { bytesOfPath } from "../../base/path-bytes.ts";
import { permissionBits } from "./look-at.ts";
import type { LayerNode } from "./layer-tree.ts";

type Changed = LayerNode & { upper: string; is: NonNullable<LayerNode["is"]> };

/**
 * Links files together again whose names all belonged to one file and are still alike. Returns the paths of the
 * others, which have left the names that they shared a file with. `all`: every node of the command.
 */
export function mendLinks(all: readonly LayerNode[]): string[] {
  const broken: string[] = [];
  const byFile = Map.groupBy(all.filter(wasLinked), ({ was }) => was?.ino);
  const made = all.filter(({ was, is }) => was === null && is?.isFile());
  for (const names of byFile.values()) {
    const changed = names.filter((node): node is Changed => isFile(node) && !isUntouched(node));
    const [first, ...others] = changed;
    const isWhole = first !== undefined && changed.length === first.was?.nlink;
    if (isWhole && others.every((other) => isAlike(first, other))) {
      for (const other of others) if (!link(first, other)) broken.push(other.path);
      continue;
    }
    const moved = made.filter(({ is }) =>
      names.some((name) => name.is === null && isCopy(name, is)),
    );
    broken.push(...[...changed, ...moved].map(({ path }) => path));
  }
  return broken;
}

/** Those of installed packages are links to a cache, which must not change with them. */
const wasLinked = ({ path, was }: LayerNode): boolean =>
  was !== null && was.isFile() && was.nlink > 1 && !path.includes("/node_modules/");

const isFile = ({ upper, is }: LayerNode): boolean => upper !== null && is?.isFile() === true;

const isUntouched = ({ is, was }: LayerNode): boolean =>
  is?.size === was?.size && is?.mtimeMs === was?.mtimeMs && is?.mode === was?.mode;

const isCopy = ({ was }: LayerNode, is: LayerNode["is"]): boolean =>
  was !== null && is !== null && was.size === is.size && was.mtimeMs === is.mtimeMs;

/** Larger files are not compared, in bytes. */
const maxBytes = 64 * 1024 ** 2;

function isAlike(first: Changed, other: Changed): boolean {
  if (first.is.ino === other.is.ino) return true;
  if (first.is.size !== other.is.size || first.is.size > maxBytes) return false;
  if (permissionBits(first.is) !== permissionBits(other.is)) return false;
  const [bytes, same] = [first, other].map(({ upper }) =>
    attempt(() => readFileSync(bytesOfPath(upper)), null),
  );
  return bytes != null && same != null && bytes.equals(same);
}

function link(first: Changed, other: Changed): boolean {
  const part = bytesOfPath(`${other.upper}.${crypto.randomUUID()}`);
  return attempt(() => {
    linkSync(bytesOfPath(first.upper), part);
    renameSync(part, bytesOfPath(other.upper));
    other.is = lstatSync(bytesOfPath(other.upper));
    return true;
  }, false);
}
