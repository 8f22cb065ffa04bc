import { Box } from "ink";
import type { ReactNode } from "react";
import { fit, pad, spread } from "../painted-text.ts";
import { type Line, markFound, span } from "../spans.ts";
import { fitHint } from "../panels/navigation.ts";
import type { CompletionList } from "../prompt/completion.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useColumns } from "../look.ts";
import { useScreen, useSource } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { LineTexts } from "./line.tsx";

/**
 * The menu above the prompt: commands, files, or earlier prompts. Rows are computed as text, because the
 * selected row is inverted over the full width.
 */
export function Completion(): ReactNode {
  const { prompt } = useSource().screen;
  useKeys(prompt.pressPopup, "popup");
  const rows = useScreen((_, { completion }) => completion);
  const list = useScreen(({ prompt }) => prompt.completion.list);
  const columns = useColumns();
  if (list === null || rows === 0) return null;
  return (
    <Box flexDirection="column" height={rows} flexShrink={0}>
      <LineTexts lines={layoutCompletion(list, columns, rows)} />
    </Box>
  );
}

export const completionRows = (list: CompletionList): number =>
  list.candidates.length + (headOf(list) === null ? 0 : 1);

/** The line above the candidates. */
function headOf(list: CompletionList): string | null {
  if (list.query.kind === "history") return searchHint(list);
  return list.isReading ? "Still reading the folder … · Esc close" : null;
}

function layoutCompletion(list: CompletionList, columns: number, most: number): Line[] {
  const { query, candidates, at } = list;
  const above = headOf(list);
  const head = above === null ? [] : [span("dim", fitHint(above, columns))];
  const rows = most - head.length;
  const from = Math.max(0, Math.min(at - rows + 1, candidates.length - rows));
  const lines = candidates.slice(from, from + rows).map((candidate, index) => {
    const isChosen = from + index === at;
    const row = (text: string): Line =>
      isChosen
        ? span("selected", pad(fit(text, columns), columns))
        : span("dim", fit(text, columns));
    if (query.kind === "history" && !isChosen)
      return markFound(fit(`  ${sanitizeLine(candidate)}`, columns), [query.text], "dim");
    if (query.kind !== "command") return row(`  ${sanitizeLine(candidate)}`);
    const { help = "", usage = "", group } = list.commands?.get(candidate) ?? {};
    const before = index === 0 ? undefined : list.commands?.get(candidates[from + index - 1] ?? "");
    const text = [`  /${candidate.padEnd(14)} ${help}`, usage].filter(Boolean).join("  ");
    // The first row of a group shows the group's name.
    const below = candidates.length - from - rows;
    const isLast = index === rows - 1 && below > 0;
    const about = isLast ? `↓ ${below} more` : group === before?.group ? "" : (group ?? "");
    return row(columns < minGrouped ? text : spread(text, about, columns));
  });
  return [...head, ...lines];
}

/** Minimum width to show command groups. */
const minGrouped = 76;

const searchHint = ({ at, total }: CompletionList): string =>
  total === 0
    ? "No earlier prompt contains this · Esc close"
    : `Earlier prompts: ${at + 1} of ${total} · Enter use · type to search · Esc close`;
