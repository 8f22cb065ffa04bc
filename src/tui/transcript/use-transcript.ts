/** Where the transcript is read, what is looked for in it, and the keys that change either. */

import { useMemo, useRef } from "react";
import type { KeyAction, KeyMap } from "../../config/keys.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import type { Item } from "../items.ts";
import { at } from "../list.ts";
import { reduce } from "../state.ts";
import type { PanelProps } from "../types.ts";
import { itemText, transcriptText } from "./item-text.ts";
import { Originals } from "./originals.ts";
import { isOpen, TranscriptSource } from "./source.ts";
import { useSearch } from "./use-search.ts";
import { useItemFocus, itemFocusHint } from "./use-item-focus.ts";
import {
  sameLine,
  scrollBy,
  visibleLines,
  type ScrollPosition,
  type Source,
  type Visible,
} from "./viewport.ts";

type TranscriptOptions = Pick<
  PanelProps,
  | "state"
  | "dispatch"
  | "send"
  | "view"
  | "rules"
  | "nowMs"
  | "theme"
  | "columns"
  | "options"
  | "suspend"
  | "copy"
> & { keys: KeyMap; rows: number; covered: boolean };

export type TranscriptView = {
  visible: Visible;
  chosen: number | null;
  /** What is looked for, to be marked. */
  pattern: RegExp | null;
  /** A line below the transcript: a search, or what the keys do. */
  bar: string | null;
  /** Something came below since the end was left. */
  hasNews: boolean;
  /** To the last line, and stay there while more comes. */
  follow(): void;
};

export function useTranscript(parts: TranscriptOptions): TranscriptView {
  const { state, dispatch, view, rules, theme, columns, keys, rows, covered, options } = parts;
  const place = useLatest<ScrollPosition>(null);
  const chosen = useLatest(0);
  const pages = useLatest(0);
  const originals = useMemo(
    () => new Originals(options.services, () => pages.set(pages.get() + 1)),
    [options.services, pages],
  );
  const source = useMemo(
    () => new TranscriptSource(theme, originals, rules),
    [theme, originals, rules],
  );
  const walking = state.focus === "transcript";
  const width = columns - (walking ? 1 : 0);
  const lines = source.of(state, view, width);
  useSteadyPlace();

  const show = (match: { item: number; line: number }, within: Source): void => {
    chosen.set(match.item);
    place.set(scrollBy(within, match, rows - 1, -Math.floor(rows / 3)));
  };
  const search = useSearch(
    {
      count: lines.count,
      text(index) {
        const item = at(state.items, index);
        return item ? itemText(item) : Bun.stripANSI(lines.lines(index).join("\n"));
      },
      unfold(index) {
        const item = at(state.items, index);
        if (!item || isOpen(state, item)) return lines;
        dispatch({ type: "toggle", key: item.key });
        return source.of(reduce(state, { type: "toggle", key: item.key }), view, width);
      },
      lines,
      top: place.get() ?? { item: lines.count - 1, line: 0 },
      show,
    },
    theme,
  );
  const bar = search.bar ?? (walking ? theme.paint("dim", itemFocusHint) : null);
  // One row less while scrolled up or in focus: there stands what is below, or what the keys do.
  const listRows = rows - (place.get() === null && bar === null ? 0 : 1);
  const visible = visibleLines(lines, place.get(), Math.max(1, listRows));
  const page = Math.max(1, rows - 2);
  const hasNews = useNews();

  const { open } = useItemFocus({
    ...parts,
    chosen,
    place,
    visible,
    originals,
    search,
    active: walking && !covered,
  });

  const scroll = (delta: number): true => {
    place.set(scrollBy(lines, place.get(), Math.max(1, rows - 1), delta));
    return true;
  };
  const goTo = (to: ScrollPosition): true => {
    place.set(to);
    return true;
  };
  const jump = (step: 1 | -1, kind: Item["kind"]): true => {
    const from = visible.lines[0]?.item ?? state.items.length;
    for (let index = from + step; index >= 0 && index < state.items.length; index += step) {
      if (at(state.items, index)?.kind === kind) return goTo({ item: index, line: 0 });
    }
    return true;
  };
  const focus = (): true => {
    chosen.set(visible.lines.findLast(({ item }) => item < state.items.length)?.item ?? 0);
    dispatch({ type: "focus", focus: "transcript" });
    return true;
  };

  const moves: Partial<Record<KeyAction, () => boolean>> = {
    pageUp: () => scroll(-page),
    pageDown: () => scroll(page),
    top: () => goTo({ item: 0, line: 0 }),
    bottom: () => goTo(null),
    previousMessage: () => jump(-1, "user"),
    nextMessage: () => jump(1, "user"),
    previousBoundary: () => jump(-1, "cut"),
    nextBoundary: () => jump(1, "cut"),
    focus,
    search: () => {
      search.begin();
      return focus();
    },
    pager: () => {
      void parts.suspend(() => options.services.page(transcriptText(state.items)));
      return true;
    },
  };

  useKeys("global", (event) => {
    if (event.type === "mouse") {
      if (event.action === "wheelUp") return scroll(-3);
      if (event.action === "wheelDown") return scroll(3);
      if (event.action === "press" && !covered) {
        open(at(state.items, visible.lines[event.row]?.item ?? -1));
      }
      return true;
    }
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

  const mark = walking ? chosen.get() : null;
  const { pattern } = search;
  return { visible, chosen: mark, pattern, bar, hasNews, follow: () => void goTo(null) };

  /** Whether anything came since the last line was on the screen. */
  function useNews(): boolean {
    const seen = useRef({ items: 0, liveChars: 0 });
    const { length: items } = state.items;
    const { liveChars } = state;
    if (!visible.below) seen.current = { items, liveChars };
    return items > seen.current.items || liveChars > seen.current.liveChars;
  }

  /** Lines break elsewhere at another width: the line that is read stays at the top. */
  function useSteadyPlace(): void {
    const before = useRef<{ width: number; lines: readonly string[] }>({ width, lines: [] });
    const now = place.get();
    const here = now === null ? [] : lines.lines(now.item);
    if (now !== null && before.current.width !== width) {
      place.keep({ item: now.item, line: sameLine(before.current.lines, now.line, here) });
    }
    before.current = { width, lines: here };
  }
}
