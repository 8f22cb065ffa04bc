/** What fills the context: a picture of blocks, then numbers by kind, tool, file and item. */

import { kinds, type Kind } from "../../../context/meter/char-count.ts";
import { tokensOf } from "../../../context/meter/meter.ts";
import { sentRows } from "../../../context/view/rows.ts";
import type { MeterReading, Row, View } from "../../../context/types.ts";
import type { Entry } from "../../../protocol/entry.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import type { Host } from "../../host.ts";
import { span, type Line } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import type { Role } from "../../theme.ts";
import { showTokens } from "../../transcript/format.ts";
import { fit } from "../../wrap.ts";
import { describeEntry, wordsOfEntry } from "../describe.ts";
import { clamp, type PanelModel } from "../panel.ts";
import { readerPanel, textContent } from "../reader-panel.ts";
import { byDefinition, byFile, bySource, byTool, largestFirst, type Share } from "./shares.ts";

type Look = { name: string; role: Role; sign: string; of?: Entry["type"] };

/**
 * Kinds in the colors of the meter; letters distinguish those that share a color. `of`: the entries
 * that hold it.
 */
const looks: Record<Kind, Look> = {
  system: { name: "system prompt", role: "meterSystem", sign: "S" },
  tools: { name: "tools", role: "meterSystem", sign: "T" },
  instructions: { name: "instructions", role: "meterSystem", sign: "I", of: "context" },
  user: { name: "your messages", role: "meterUser", sign: "U", of: "user" },
  assistant: { name: "answers", role: "meterAnswers", sign: "A", of: "assistant" },
  thinking: { name: "thinking", role: "meterAnswers", sign: "t", of: "assistant" },
  toolInputs: { name: "tool inputs", role: "meterAnswers", sign: "i", of: "assistant" },
  toolResults: { name: "tool results", role: "meterResults", sign: "R", of: "result" },
  summary: { name: "summaries", role: "meterSummary", sign: "∑" },
};

/** Columns beside the picture. */
const margin = 1;

/** Files that are listed; the rest is one line. */
const maxFiles = 12;

export function mapPanel(host: Host): PanelModel {
  const details = new Memo<Line[]>();
  /** The selected cell; null: none yet. */
  let chosen: number | null = null;
  let perRow = 1;
  const choose = (step: 1 | -1) => (): void => {
    const last = cellsOf(host.reading).length - 1;
    chosen = clamp(chosen === null ? 0 : chosen + step, last);
  };
  return readerPanel({
    keys: {
      c: () => host.dispatch({ type: "panel", panel: { kind: "context", tab: "cost" } }),
      left: choose(-1),
      right: choose(1),
    },
    onClick(line, column) {
      const cell = line * perRow + column - margin;
      const isCell = column >= margin && column < margin + perRow;
      if (isCell && cell < cellsOf(host.reading).length) chosen = cell;
    },
    content(columns) {
      perRow = Math.max(5, Math.min(50, columns - 2 * margin));
      const { reading, view, rules, options } = host;
      const { cwd } = options;
      const keys = [view, view.version, rules, cwd];
      const shares = details.get(keys, () => shareSections(view, rules, cwd));
      const { usedTokens, effectiveTokens, errorTokens } = reading;
      const error = errorTokens === 0 ? "" : `, ±${showTokens(errorTokens)}`;
      const title = `Context: ${showTokens(usedTokens)} of ${showTokens(effectiveTokens)} tokens${error}`;
      const cells = cellsOf(reading);
      const name = chosen === null ? "" : fit(` ${nameOf(cells[chosen], host)}`, columns);
      return textContent(title, "← → or click inspect · Tab next view · c cost · Esc close", [
        ...picture(cells, chosen, perRow),
        name,
        ...byKind(reading),
        ...shares,
      ]);
    },
  });
}

function shareSections(view: View, rules: ModelRules, cwd: string): Line[] {
  const tokens = tokensOf(view, rules);
  const definitions = byDefinition(view, rules);
  const sources = bySource(view, tokens);
  const section = (title: string, lines: readonly string[]): Line[] => [
    "",
    span("heading", title),
    ...lines,
  ];
  const shorten = (path: string): string =>
    path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  return [
    // Without servers, all of it is the line "tools" above.
    ...(definitions.length < 2 ? [] : section("Tool definitions", shareLines(definitions))),
    // The first source is the environment, which every session has.
    ...(sources.length < 2
      ? []
      : section("Instructions, notes, skills and hooks", shareLines(sources, shorten))),
    ...section("By tool", shareLines(byTool(view, tokens))),
    ...section("By file", shareLines(byFile(view, tokens), shorten)),
    ...section("Largest items", largestLines(view, tokens)),
  ];
}

/** The cells in rows, the chosen one inverted. Letters replace colors. */
function picture(cells: readonly Cell[], chosen: number | null, perRow: number): Line[] {
  const painted = cells.map((cell, index) => {
    const { role, sign } = cell ? looks[cell.kind] : { role: "meterFree" as const, sign: "·" };
    return span(index === chosen ? "selected" : role, sign);
  });
  const lines: Line[] = [];
  for (let at = 0; at < painted.length; at += perRow)
    lines.push([" ".repeat(margin), ...painted.slice(at, at + perRow)]);
  return lines;
}

/** "tool results: Read parser.ts, 1.3k tokens": the item in the middle of a cell, if there is one. */
function nameOf(cell: Cell | undefined, { view, rules, reading }: Host): string {
  if (!cell) return "free";
  const { name, of } = looks[cell.kind];
  const tokens = tokensOf(view, rules);
  let left = ((cell.index + 0.5) * reading.effectiveTokens) / cellCount;
  let found: Row | null = null;
  for (const row of sentRows(view)) {
    if (row.digest.type !== of) continue;
    found = row;
    left -= tokens(row);
    if (left < 0) break;
  }
  if (!found) return name;
  return `${name}: ${wordsOfEntry(view, found.entry)}, ${showTokens(tokens(found))} tokens`;
}

const byKind = (reading: MeterReading): Line[] =>
  kinds
    .filter((kind) => reading.breakdown[kind] > 0)
    .map((kind) => {
      const { name, role, sign } = looks[kind];
      const share = Math.round((reading.breakdown[kind] / Math.max(1, reading.usedTokens)) * 100);
      return [
        span(role, sign),
        ` ${name.padEnd(16)} ${showTokens(reading.breakdown[kind]).padStart(8)} ${String(share).padStart(3)} %`,
      ];
    });

function shareLines(shares: readonly Share[], show = (name: string): string => name): string[] {
  if (shares.length === 0) return ["  nothing yet"];
  const rest = shares.slice(maxFiles);
  const more = {
    name: `${rest.length} more`,
    tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0),
    items: rest.reduce((sum, { items }) => sum + items, 0),
  };
  return [...shares.slice(0, maxFiles), ...(rest.length > 0 ? [more] : [])].map(
    ({ name, tokens, items }) =>
      `${showTokens(tokens).padStart(8)} ${String(items).padStart(4)}×  ${sanitizeLine(show(name))}`,
  );
}

const largestLines = (view: View, tokensOf: (row: Row) => number): string[] =>
  largestFirst(sentRows(view), tokensOf)
    .slice(0, 20)
    .map(
      ({ row, tokens }) =>
        `${showTokens(tokens).padStart(8)}  ${row.pinned ? "pinned " : ""}${describeEntry(view, row.entry)}`,
    );

/** Cells of the picture, each for a hundredth of the space that can be filled. */
const cellCount = 100;

/** null: free. */
type Cell = { kind: Kind; /** Which of its kind's cells it is. */ index: number } | null;

function cellsOf({ breakdown, effectiveTokens }: MeterReading): Cell[] {
  const filled = kinds.flatMap((kind) => {
    const cells = Math.round((breakdown[kind] / effectiveTokens) * cellCount);
    return Array.from({ length: cells }, (_, index) => ({ kind, index }));
  });
  return [...filled, ...Array.from({ length: Math.max(0, cellCount - filled.length) }, () => null)];
}
