/** Lays out the prompt and the lines directly above it. Pure. */

import { span, type Line, type Span } from "../line.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { atMost, fit } from "../wrap.ts";
import type { CompletionList } from "./completion.ts";
import type { Editor } from "./editor.ts";
import { wrapText } from "./wrap-text.ts";

const promptMark = "❯ ";

/** Most lines shown of a long text. */
const maxRows = 10;

type PromptText = {
  editor: Editor;
  selection: { from: number; to: number } | null;
  /** Shown while the prompt is empty. */
  hint: string;
};

export type PromptView = {
  /** Each with its mark: "❯ " before the first line of the text. */
  lines: Line[];
  cursor: { column: number; row: number };
};

/** At most `rows` lines, around the cursor. */
export function layoutPrompt(
  { editor, selection, hint }: PromptText,
  columns: number,
  rows: number,
): PromptView {
  const width = Math.max(4, columns - promptMark.length);
  const { lines, row, column } = wrapText(editor.text, editor.cursor, width);
  const height = Math.max(1, Math.min(maxRows, rows, lines.length));
  const from = Math.max(0, Math.min(row - height + 1, lines.length - height));
  /** A line with vim's selection highlighted. */
  const shown = (text: string, start: number): Span[] => {
    const begin = Math.max(0, (selection?.from ?? 0) - start);
    const end = (selection?.to ?? 0) - start;
    if (end <= begin || begin >= text.length) return [sanitize(text)];
    return [
      sanitize(text.slice(0, begin)),
      span("selected", sanitize(text.slice(begin, end))),
      sanitize(text.slice(end)),
    ];
  };
  return {
    lines: lines.slice(from, from + height).map(({ text, start }, index) => {
      const mark = span("user", from + index === 0 ? promptMark : "  ");
      const isEmpty = editor.text === "";
      return [mark, ...(isEmpty ? [span("dim", fit(hint, width))] : shown(text, start))];
    }),
    cursor: { column: promptMark.length + column, row: row - from },
  };
}

/** At most `most` candidates around the selected one. */
export function layoutCompletion(list: CompletionList, columns: number, most: number): Line[] {
  const { query, candidates, at } = list;
  const head = query.kind === "history" ? [span("dim", fit(searchHint(list), columns))] : [];
  const rows = most - head.length;
  const from = Math.max(0, Math.min(at - rows + 1, candidates.length - rows));
  const lines = candidates.slice(from, from + rows).map((candidate, index) => {
    const help = list.help?.get(candidate) ?? "";
    const text =
      query.kind === "command" ? `/${candidate.padEnd(14)} ${help}` : sanitizeLine(candidate);
    return span(from + index === at ? "selected" : "dim", fit(`  ${text}`, columns));
  });
  return [...head, ...lines];
}

const searchHint = ({ at, total }: CompletionList): string =>
  total === 0
    ? "No earlier prompt contains this · Esc close"
    : `Earlier prompts: ${at + 1} of ${total} · type to search · Enter use · Esc close`;

/** Most queued messages shown. */
const maxQueued = 3;

/** Messages typed while the agent works. */
export function layoutQueue(queue: readonly string[], columns: number): string[] {
  const lines = queue.map((text) => `↳ queued: ${sanitizeLine(text) || "(an image)"}`);
  return atMost(lines, maxQueued, (rest) => `↳ and ${rest} more`).map((l) => fit(l, columns));
}
