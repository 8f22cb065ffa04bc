/** What the layout of an item depends on besides the item. */

import type { Row } from "../../context/types.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Theme } from "../theme.ts";
import { badges, showTokens } from "./format.ts";
import type { Page } from "./originals.ts";

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
  page: Page | undefined;
  /** The call waits for the user's approval. */
  isAsked: boolean;
  /** Milliseconds since the epoch, for the clock of a running call. */
  nowMs: number;
};

/** No longer sent in full. */
export const isCut = ({ row, cut }: ItemLayout): boolean =>
  row !== undefined && cut !== undefined && row.shown !== "whole" && row.shown !== "unsent";

/** The tier that removed it, and the tokens freed. */
export function badgeOf({ cut, theme, freedTokens }: ItemLayout): string {
  const freed = freedTokens > 0 ? `, ${showTokens(freedTokens)} freed` : "";
  return theme.paint("badge", `[${badges[cut?.tier ?? "persist"]}${freed}]`);
}
