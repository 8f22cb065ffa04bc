/** Which cuts stand, and what each does to the rows: the fold of cuts, restores and pins. */

import type { Change, EntryId, EntryOf } from "../protocol/entry.ts";

type Cut = EntryOf<"cut">;
type Restore = EntryOf<"restore">;

/** A change as it bears on one row. */
export type Bearing = {
  cut: Cut;
  change: Change;
  /** The first row of a cover: its text stands here. */
  leads: boolean;
};

/** Which cuts were taken back, and how far. */
export class Restores {
  readonly #whole = new Set<EntryId>();
  readonly #parts = new Map<EntryId, Set<EntryId>>();

  add({ cut, entry }: Restore): void {
    if (entry === undefined) this.#whole.add(cut);
    else this.#parts.set(cut, new Set([...(this.#parts.get(cut) ?? []), entry]));
  }

  /** Whether the cut still hides `entry`. */
  stands(cut: EntryId, entry: EntryId): boolean {
    return !this.#whole.has(cut) && !this.#parts.get(cut)?.has(entry);
  }

  isWhole(cut: EntryId): boolean {
    return this.#whole.has(cut);
  }
}

/** What the checks of a cut need to know of the path. */
export type Path = {
  indexOf(id: EntryId): number | undefined;
  typeAt(index: number): string | undefined;
  /** Rows of a call and of its result, by the call's id. */
  callRow(toolUse: string): number | undefined;
  resultRow(toolUse: string): number | undefined;
  /** Calls made, and calls answered, in a row. */
  callsIn(index: number): readonly string[];
  answeredIn(index: number): string | undefined;
  /** Spans of standing covers, in rows. */
  covers(): readonly { from: number; to: number }[];
};

/** Why a cut must not be applied, or null. A corrupt entry in a log must never break a session. */
export function rejectCut(cut: Cut, path: Path): string | null {
  for (const change of cut.changes) {
    const reason = change.kind === "cover" ? rejectCover(change, path) : rejectPoint(change, path);
    if (reason !== null) return reason;
  }
  return null;
}

function rejectPoint(change: Exclude<Change, { kind: "cover" }>, path: Path): string | null {
  const row = path.indexOf(change.entry);
  if (row === undefined) return `entry ${change.entry} is not on the path`;
  if (change.kind === "replace") {
    return path.typeAt(row) === "result" ? null : `entry ${change.entry} is no tool result`;
  }
  return path.callsIn(row).includes(change.toolUse)
    ? null
    : `entry ${change.entry} makes no call ${change.toolUse}`;
}

function rejectCover({ span }: Extract<Change, { kind: "cover" }>, path: Path): string | null {
  const from = path.indexOf(span.from);
  const to = path.indexOf(span.to);
  if (from === undefined || to === undefined)
    return `span ${span.from}-${span.to} is not on the path`;
  if (from > to) return `span ${span.from}-${span.to} runs backwards`;
  for (const other of path.covers()) {
    const apart = other.to < from || other.from > to;
    const around = from <= other.from && to >= other.to;
    if (!apart && !around) return `span ${span.from}-${span.to} cuts through an earlier one`;
  }
  const inside = (row: number | undefined): boolean =>
    row === undefined || (row >= from && row <= to);
  for (let row = from; row <= to; row++) {
    const answered = path.answeredIn(row);
    if (answered !== undefined && !inside(path.callRow(answered)))
      return `span splits call ${answered} from its result`;
    const split = path.callsIn(row).find((call) => !inside(path.resultRow(call)));
    if (split !== undefined) return `span splits call ${split} from its result`;
  }
  return null;
}
