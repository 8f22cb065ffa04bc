/** Everything besides an item that its layout depends on. */

import type { Row } from "../../context/types.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Prices } from "../../protocol/model.ts";
import type { ItemKind } from "../items.ts";
import type { Theme } from "../theme.ts";
import { badges, showTokens } from "./format.ts";
import type { ToolItem } from "./outcome.ts";
import type { OriginalPage } from "./originals.ts";

/** Prose is at most this wide, for readability. */
export const proseColumns = 100;

export type ItemLayout = {
  width: number;
  theme: Theme;
  open: boolean;
  /** The entry's row in the view, if it has one. */
  row: Row | undefined;
  /** The compaction that removed it. */
  cut: EntryOf<"cut"> | undefined;
  /** Tokens that a compaction or a preview saves. */
  freedTokens: number;
  /** The current page of the full result; undefined shows the preview. */
  page: OriginalPage | undefined;
  /** The calls that share its row; null: none. */
  neighbors: readonly ToolItem[] | null;
  /** The kind of the item above; null at the top. */
  follows: ItemKind | null;
  prices: Prices;
  /** The call waits for the user's approval. */
  isAsked: boolean;
  /** How long a running call has run; a wait for permission is not part of it. */
  runningMs: number;
};

/** Kinds that are no rows. */
const blocks = new Set<ItemKind>(["user", "text", "cut", "turn", "stop"]);

/** Blocks are separated by an empty line; rows that follow each other are one block. */
export const startsBlock = (kind: ItemKind, follows: ItemKind | null): boolean =>
  kind !== "stop" &&
  !(kind === "cut" && follows === "cut") &&
  (blocks.has(kind) || (follows !== null && blocks.has(follows)));

/** No longer sent in full. */
export const isCut = ({ row, cut }: ItemLayout): boolean =>
  row !== undefined && cut !== undefined && row.shown !== "whole" && row.shown !== "unsent";

/** The tier that removed it, and the tokens freed. */
export function paintBadge({ cut, theme, freedTokens }: ItemLayout): string {
  const freed = freedTokens > 0 ? `, ${showTokens(freedTokens)} freed` : "";
  return theme.paint("badge", `[${badges[cut?.tier ?? "persist"]}${freed}]`);
}
