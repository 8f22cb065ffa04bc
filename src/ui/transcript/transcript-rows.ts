import { fitHint } from "../panels/panel.ts";
import { fitLine, span, type Line, type Span } from "../line.ts";
import type { Theme } from "../theme.ts";
import { markMatches } from "./transcript-search.ts";
import type { Place, Visible } from "./viewport.ts";

export type TranscriptFrame = {
  visible: Visible;
  /** The selected item, while keys act on it. */
  chosen: number | null;
  pattern: RegExp | null;
  /** The line below the transcript: a search, or key hints. */
  bar: Span | null;
  /** Something was added below since the user scrolled up. */
  hasNews: boolean;
};

/** The visible part of the transcript, in exactly as many rows as there is room for. */
export type TranscriptView = {
  readonly columns: number;
  readonly rows: number;
  /** Lines that are styled already, since only they are long; one for each row but the foot's. */
  readonly lines: readonly string[];
  /** Where each of them is in the transcript. */
  readonly places: readonly Place[];
  /** The row below them: what is further down, a search, or key hints. */
  readonly foot: Line | null;
};

export function transcriptView(
  { visible, chosen, pattern, bar, hasNews }: TranscriptFrame,
  { rows, columns }: { rows: number; columns: number },
  theme: Theme,
): TranscriptView {
  const what = hasNews ? "▼ new below · End" : "▼ more below · End";
  const left = columns - (visible.below ? what.length + 2 : 0);
  const hint = bar === null ? [] : [fitBar(bar, left)];
  const below = visible.below ? [span("warning", what)] : [];
  const gap = below.length > 0 && hint.length > 0 ? ["  "] : [];
  const foot = [...below, ...gap, ...hint];
  const lines = visible.lines.map(({ text, item }) => {
    const mark = chosen === null ? "" : item === chosen ? theme.paint("accent", "▌") : " ";
    return mark + (pattern === null ? text : markMatches(text, pattern, theme));
  });
  const room = Math.max(0, rows - (foot.length === 0 ? 0 : 1));
  return {
    columns,
    rows,
    lines: lines.slice(0, room),
    places: visible.lines.slice(0, room).map(({ item, line }) => ({ item, line })),
    foot: foot.length === 0 ? null : fitLine(foot, columns),
  };
}

const fitBar = (bar: Span, columns: number): Span =>
  typeof bar === "string" ? fitHint(bar, columns) : { ...bar, text: fitHint(bar.text, columns) };
