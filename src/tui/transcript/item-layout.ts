/** What the lines of an item depend on besides the item. */

import type { Row } from "../../context/types.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Theme } from "../theme.ts";
import { badges, showTokens } from "./format.ts";
import type { Page } from "./originals.ts";

export type ItemLayout = {
  width: number;
  theme: Theme;
  open: boolean;
  /** The entry's row in the view; undefined: it has none. */
  row: Row | undefined;
  /** The cut that hides it. */
  cut: EntryOf<"cut"> | undefined;
  /** Tokens that its cut or its preview keeps out of the request. */
  freedTokens: number;
  /** The page of the full result that is shown; undefined: its preview is. */
  page: Page | undefined;
  /** The call waits for the user's answer. */
  isAsked: boolean;
  /** Milliseconds since the epoch: a running call shows its time. */
  nowMs: number;
};

/** No longer sent in full. */
export const isCut = ({ row, cut }: ItemLayout): boolean =>
  row !== undefined && cut !== undefined && row.shown !== "whole" && row.shown !== "unsent";

/** The tier that removed it, and what that freed. */
export function badgeOf({ cut, theme, freedTokens }: ItemLayout): string {
  const freed = freedTokens > 0 ? `, ${showTokens(freedTokens)} freed` : "";
  return theme.paint("badge", `[${badges[cut?.tier ?? "persist"]}${freed}]`);
}
