/** Where the transcript is read, which item is chosen, and the keys that change either. */

import { useMemo } from "react";
import type { KeyAction, KeyMap } from "../../config/keys.ts";
import { useCell } from "../cell.ts";
import { useKeys } from "../input.tsx";
import type { Item } from "../items.ts";
import { at } from "../list.ts";
import type { PartProps } from "../types.ts";
import { TranscriptSource } from "./source.ts";
import { scrollBy, visibleLines, type Place, type Visible } from "./viewport.ts";

type Parts = Pick<PartProps, "state" | "dispatch" | "send" | "view" | "theme" | "columns"> & {
  keys: KeyMap;
  rows: number;
  covered: boolean;
};

export type Reading = {
  visible: Visible;
  chosen: number | null;
  /** To the last line, and stay there while more comes. */
  follow(): void;
};

export function useTranscript({
  state,
  dispatch,
  send,
  view,
  theme,
  columns,
  keys,
  rows,
  covered,
}: Parts): Reading {
  const place = useCell<Place>(null);
  const chosen = useCell(0);
  const source = useMemo(() => new TranscriptSource(theme), [theme]);
  const walking = state.focus === "transcript";
  const lines = source.of(state, view, columns - (walking ? 1 : 0));
  // One row less while scrolled up: there it says that more is below.
  const visible = visibleLines(lines, place.get(), rows - (place.get() === null ? 0 : 1));
  const page = Math.max(1, rows - 2);

  const scroll = (delta: number): true => {
    place.set(scrollBy(lines, place.get(), rows - 1, delta));
    return true;
  };
  const jump = (step: 1 | -1, wanted: (item: Item) => boolean): true => {
    const from = visible.lines[0]?.item ?? state.items.length;
    for (let index = from + step; index >= 0 && index < state.items.length; index += step) {
      const item = at(state.items, index);
      if (!item || !wanted(item)) continue;
      place.set({ item: index, line: 0 });
      break;
    }
    return true;
  };
  const goTo = (to: Place): true => {
    place.set(to);
    return true;
  };
  const isUser = (item: Item): boolean => item.kind === "user";
  const isBoundary = (item: Item): boolean => item.kind === "cut";

  const moves: Partial<Record<KeyAction, () => boolean>> = {
    pageUp: () => scroll(-page),
    pageDown: () => scroll(page),
    top: () => goTo({ item: 0, line: 0 }),
    bottom: () => goTo(null),
    previousMessage: () => jump(-1, isUser),
    nextMessage: () => jump(1, isUser),
    previousBoundary: () => jump(-1, isBoundary),
    nextBoundary: () => jump(1, isBoundary),
    focus: () => {
      chosen.set(visible.lines.at(-1)?.item ?? 0);
      dispatch({ type: "focus", focus: "transcript" });
      return true;
    },
  };

  useKeys(
    "transcript",
    (event) => {
      if (event.type !== "key") return false;
      const item = at(state.items, chosen.get());
      const step = { up: -1, k: -1, down: 1, j: 1 }[event.chord];
      if (step !== undefined) {
        const next = Math.max(0, Math.min(state.items.length - 1, chosen.get() + step));
        chosen.set(next);
        if (!visible.lines.some((line) => line.item === next)) place.set({ item: next, line: 0 });
      } else if (event.chord === "enter" || event.chord === " ") {
        if (item) dispatch({ type: "toggle", key: item.key });
      } else if (event.chord === "u" && item?.kind === "cut")
        send({ type: "restore", cut: item.entry.id });
      else if (event.chord === "escape" || keys.actionOf(event.chord) === "focus") {
        dispatch({ type: "focus", focus: "prompt" });
      } else return moves[keys.actionOf(event.chord) ?? "submit"]?.() ?? false;
      return true;
    },
    walking && !covered,
  );

  useKeys("global", (event) => {
    if (event.type === "mouse")
      return event.action === "wheelUp"
        ? scroll(-3)
        : event.action === "wheelDown"
          ? scroll(3)
          : true;
    if (event.type !== "key") return false;
    const action = keys.actionOf(event.chord);
    return action ? (moves[action]?.() ?? false) : false;
  });

  // Home and End are the prompt's while it holds text.
  useKeys("last", (event) => {
    if (event.type !== "key") return false;
    if (event.chord === "home") return goTo({ item: 0, line: 0 });
    return event.chord === "end" ? goTo(null) : false;
  });

  return { visible, chosen: walking ? chosen.get() : null, follow: () => void goTo(null) };
}
