/** Files that a command made for other programs are taken back until the user has seen them. */

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { basename, bytesOfPath } from "../../base/path-bytes.ts";
import { inOneLine } from "../../base/escape-terminal.ts";
import { readStat, unreadable } from "../../snapshots/raw-files.ts";
import { isNotKept, type Change } from "../../snapshots/scan.ts";
import type { Snapshots } from "../../snapshots/snapshots.ts";

/** "disabled": renamed, because its content is not in the snapshot. "stuck": it is still there. */
export type Aside = { change: Change; state: "taken" | "disabled" | "stuck" };

type Store = Pick<Snapshots, "takeBack" | "contents">;

/**
 * Takes changes back, with the folders that the command made for them. `stay`: the others, in their order.
 * `taken`: the changes that this made, for `putBack`.
 */
export async function setAside(
  changes: readonly Change[],
  isAside: (change: Change) => Promise<boolean>,
  store: Store,
): Promise<{ stay: Change[]; asides: Aside[]; taken: Change[] }> {
  const judged = await Promise.all(changes.map(isAside));
  const moving = changes.filter((_, at) => judged[at]);
  const isAbove = ({ path, before, after }: Change): boolean =>
    before === null &&
    after === "folder" &&
    moving.some((change) => change.path.startsWith(`${path}/`));
  const folders = changes.filter((change) => !moving.includes(change) && isAbove(change));
  const taken = await store.takeBack([...moving, ...folders]);
  const paths = new Set(taken.map(({ path }) => path));
  const asides = moving.map((change): Aside => {
    if (paths.has(change.path)) return { change, state: "taken" };
    const isRenamed = isNotKept(change.after) && rename(change.path, disabled(change.path));
    return { change, state: isRenamed ? "disabled" : "stuck" };
  });
  const stay = changes.filter((change) => !moving.includes(change) && !paths.has(change.path));
  return { stay, asides, taken };
}

/** `back`: also the folders that this makes. `left`: what could not be put back. */
export async function putBack(
  asides: readonly Aside[],
  taken: readonly Change[],
  store: Store,
): Promise<{ back: Change[]; left: Aside[] }> {
  const back = await store.takeBack(taken);
  for (const { change, state } of asides)
    if (state === "disabled" && rename(disabled(change.path), change.path)) back.push(change);
  const paths = new Set(back.map(({ path }) => path));
  return { back, left: asides.filter(({ change }) => !paths.has(change.path)) };
}

const disabled = (path: string): string => `${path}.disabled`;

const rename = (from: string, to: string): boolean =>
  readStat(to) === null &&
  attempt(() => (renameSync(bytesOfPath(from), bytesOfPath(to)), true), false);

/** Copies for the user, who may have made the files. Returns whether there are any. */
export async function keepCopies(
  asides: readonly Aside[],
  folder: string,
  store: Store,
): Promise<boolean> {
  const ids = asides.flatMap(({ change, state }) =>
    state === "taken" ? (change.after ?? []) : [],
  );
  const contents = await store.contents(ids);
  if (contents.size > 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [number, { change }] of asides.entries()) {
    const bytes = contents.get(change.after ?? "");
    const name = `${number}-${basename(change.path).slice(0, 60).toWellFormed()}`;
    if (bytes) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
  }
  return contents.size > 0;
}

const maxShownBytes = 1024 ** 2;
const maxShownLines = 400;

/** For the question: its name, and all that it holds. */
export async function describeAside(
  { change, state }: Aside,
  show: (path: string) => string,
  store: Store,
): Promise<string> {
  const name = inOneLine(show(change.path));
  const { before, after } = change;
  if (state === "stuck") return `${name} (could not be taken back: it is still there)`;
  if (after === null) return `${name} (removed)`;
  if (after === unreadable) return `${name} (it cannot be read)`;
  const kind = before === null ? "new" : "changed";
  if (after.startsWith("link:"))
    return `${name} (${kind}, a link)\n-> ${inOneLine(after.slice(5))}`;
  const bytes = (await store.contents([after])).get(after);
  const isShown = bytes !== undefined && bytes.length <= maxShownBytes;
  const lines = (isShown ? Buffer.from(bytes).toString("utf8") : "(not shown)").split("\n");
  const more = lines.length - maxShownLines;
  const shown = lines.slice(0, maxShownLines).join("\n");
  return `${name} (${kind})\n${shown}${more > 0 ? `\n(${more} more lines, not shown)` : ""}`;
}
