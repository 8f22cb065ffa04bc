/** A finished summary waits for the person's word: read it, change it, take it, or leave it. */

import { useMemo } from "react";
import type { CompactionState } from "../../protocol/event.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sanitise } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { wrapWords } from "../wrap.ts";
import { useAnswerGuard } from "./answer-guard.ts";
import { Frame } from "./frame.tsx";
import { useScrolling } from "./scrolling.ts";

type ReviewProps = PanelProps & {
  review: Extract<CompactionState, { step: "review" }>;
  /** The person was in the middle of a text when the summary was ready. */
  typing: boolean;
};

export function ReviewPanel(props: ReviewProps) {
  const { review, typing, dispatch, send, suspend, options, theme, columns, rows } = props;
  const text = useLatest(review.text);
  const { armed, swallows } = useAnswerGuard(typing);
  const shown = text.get();
  const lines = useMemo(
    () =>
      sanitise(shown)
        .split("\n")
        .flatMap((line) => wrapWords(line, columns)),
    [shown, columns],
  );
  const answer = (words: string | null): void => {
    send({ type: "review", id: review.id, text: words });
    dispatch({ type: "panel", panel: null });
  };
  const edit = (): void =>
    void suspend(async () => text.set(await options.services.edit(text.get())));
  const from = useScrolling(lines.length, rows);
  useKeys("dialog", (event) => {
    if (event.type === "paste") return true;
    if (event.type !== "key" || isScroll(event.chord) || event.chord === "ctrl+c") return false;
    if (event.chord === "escape") answer(null);
    else if (swallows(event)) return true;
    else if (event.chord === "enter") answer(text.get());
    else if (event.chord === "e") edit();
    return true;
  });
  const changed = shown === review.text ? "" : ", changed by you";
  return (
    <Frame
      title={`Summary to put in place${changed}`}
      hint={
        armed
          ? "Enter puts it in place · e edits it · Esc leaves everything as it is"
          : "You were typing: Tab, then Enter puts it in place · Esc leaves everything as it is"
      }
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

const isScroll = (chord: string): boolean =>
  ["up", "down", "pageup", "pagedown", "home", "end", "j", "k"].includes(chord);
