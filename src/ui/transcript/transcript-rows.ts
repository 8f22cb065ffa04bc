import { fitHint } from "../panels/panel.ts";
import type { Theme } from "../theme.ts";
import { fit } from "../wrap.ts";
import { markMatches } from "./transcript-search.ts";
import type { Visible } from "./viewport.ts";

export type TranscriptFrame = {
  visible: Visible;
  /** The selected item, while keys act on it. */
  chosen: number | null;
  pattern: RegExp | null;
  /** The line below the transcript: a search, or key hints. */
  bar: string | null;
  /** Something was added below since the user scrolled up. */
  hasNews: boolean;
};

/** The visible part of the transcript, in exactly as many rows as there is room for. */
export function transcriptRows(
  { visible, chosen, pattern, bar, hasNews }: TranscriptFrame,
  size: { rows: number; columns: number },
  theme: Theme,
): string[] {
  const what = hasNews ? "▼ new below · End" : "▼ more below · End";
  const below = visible.below ? theme.paint("warning", what) : "";
  const left = size.columns - (visible.below ? what.length + 2 : 0);
  const foot = [below, fitHint(bar ?? "", left)].filter((part) => part !== "").join("  ");
  const lines = visible.lines.map(({ text, item }) => {
    const mark = chosen === null ? "" : item === chosen ? theme.paint("accent", "▌") : " ";
    return mark + (pattern === null ? text : markMatches(text, pattern, theme));
  });
  const room = Math.max(0, size.rows - (foot === "" ? 0 : 1));
  const rows = Array.from({ length: room }, (_, row) => lines[row] ?? "");
  return foot === "" ? rows : [...rows, fit(foot, size.columns)];
}
