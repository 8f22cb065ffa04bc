/** The context map: a picture of cells, then numbers by kind, tool, file and item. */

import { type Kind, kinds } from "../../../context/view/char-count.ts";
import { rowCounter } from "../../../context/view/row-tokens.ts";
import {
  byDefinition,
  byFile,
  bySource,
  byTool,
  largestFirst,
  type Share,
} from "../../../context/meter/shares.ts";
import { sentRows } from "../../../context/view/rows.ts";
import type { MeterReading, Row, View } from "../../../context/types.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import type { Host } from "../../host.ts";
import { inColumns, type Line, type Span, span } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import type { Role } from "../../theme.ts";
import { describeEntry, showTokens } from "../../transcript/format.ts";
import { shareCells } from "../../components/meter/bar.ts";
import { type PanelModel, readerPanel } from "../panel.ts";

type KindLook = { name: string; role: Role; sign: string; letter: string };

/** Kinds in the colors of the meter; shades distinguish those that share one, letters all of them. */
const looks: Record<Kind, KindLook> = {
  system: { name: "system prompt", role: "meterSystem", sign: "█", letter: "S" },
  tools: { name: "tools", role: "meterSystem", sign: "▓", letter: "T" },
  instructions: { name: "instructions", role: "meterSystem", sign: "▒", letter: "I" },
  user: { name: "your messages", role: "meterUser", sign: "█", letter: "U" },
  assistant: { name: "answers", role: "meterAnswers", sign: "█", letter: "A" },
  thinking: { name: "thinking", role: "meterAnswers", sign: "▒", letter: "t" },
  toolInputs: { name: "tool inputs", role: "meterAnswers", sign: "▓", letter: "i" },
  toolResults: { name: "tool results", role: "meterResults", sign: "█", letter: "R" },
  summary: { name: "summaries", role: "meterSummary", sign: "█", letter: "∑" },
};

const margin = 1;

/** Names that a section lists; the rest share one line. */
const maxListed = 12;

export function mapPanel(host: Host): PanelModel {
  const details = new Memo<Line[][]>();
  return readerPanel((columns) => {
    const { reading, view, rules, options, theme } = host;
    const keys = [view, view.version, rules, options.cwd];
    const shares = details.get(keys, () => shareSections(view, rules, options.cwd));
    const { usedTokens, effectiveTokens, errorTokens } = reading;
    const error = errorTokens === 0 ? "" : `, ±${showTokens(errorTokens)}`;
    const title = `Context: ${showTokens(usedTokens)} of ${showTokens(effectiveTokens)} tokens${error}`;
    const width = Math.max(5, columns - 2 * margin);
    /** A cell of a kind: a block in its color, or a letter where there is no color. */
    const sign = (kind: Kind): Span => {
      const { role, sign: block, letter } = looks[kind];
      return span(role, theme.name === "none" ? letter : block);
    };
    const lines = [
      ...picture(reading, width, sign),
      windowLine(reading, width),
      "",
      ...inColumns(columns, () => [byKind(reading, sign), ...shares]),
    ];
    return { title, hint: "Tab next view · Esc close", lines };
  });
}

function shareSections(view: View, rules: ModelRules, cwd: string): Line[][] {
  const tokens = rowCounter(view, rules);
  const definitions = byDefinition(view, rules);
  const sources = bySource(view, tokens);
  const section = (title: string, lines: readonly string[]): Line[] => [
    span("heading", title),
    ...lines,
  ];
  const shorten = (path: string): string =>
    path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  return [
    // Without servers, all of it is the line "tools" above.
    ...(definitions.length < 2 ? [] : [section("Tool definitions", shareLines(definitions))]),
    // The first source is the environment, which every session has.
    ...(sources.length < 2
      ? []
      : [section("Instructions, notes, skills and hooks", shareLines(sources, shorten))]),
    section("By tool", shareLines(byTool(view, tokens))),
    section("By file", shareLines(byFile(view, tokens), shorten)),
    section("Largest items", largestLines(view, tokens)),
  ];
}

const pictureRows = 3;

/** Rows of `width` cells that show what the used tokens are, whatever the size of the window. Each kind has a cell. */
function picture(
  { breakdown }: MeterReading,
  width: number,
  sign: (kind: Kind) => Span,
): readonly Line[] {
  const present = kinds.filter((kind) => breakdown[kind] > 0);
  const sized = present.map((kind) => ({ tokens: breakdown[kind] }));
  const shares = shareCells(sized, width * pictureRows);
  const cells = present.flatMap((kind, at) => Array<Kind>(shares[at] ?? 0).fill(kind));
  return Array.from({ length: Math.ceil(cells.length / width) }, (_, row) => [
    " ".repeat(margin),
    ...cells.slice(row * width, (row + 1) * width).map(sign),
  ]);
}

const byKind = (reading: MeterReading, sign: (kind: Kind) => Span): Line[] =>
  kinds
    .filter((kind) => reading.breakdown[kind] > 0)
    .map((kind) => {
      const { name } = looks[kind];
      const percent = Math.round((reading.breakdown[kind] / reading.effectiveTokens) * 100);
      const share = percent === 0 ? "<1" : String(percent);
      return [
        sign(kind),
        ` ${name.padEnd(16)} ${showTokens(reading.breakdown[kind]).padStart(8)} ${share.padStart(3)} %`,
      ];
    });

function shareLines(shares: readonly Share[], show = (name: string): string => name): string[] {
  if (shares.length === 0) return ["  nothing yet"];
  const rest = shares.slice(maxListed);
  const more = {
    name: `${rest.length} more`,
    tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0),
    items: rest.reduce((sum, { items }) => sum + items, 0),
  };
  return [...shares.slice(0, maxListed), ...(rest.length > 0 ? [more] : [])].map(
    ({ name, tokens, items }) =>
      `${showTokens(tokens).padStart(8)} ${String(items).padStart(4)}×  ${sanitizeLine(show(name))}`,
  );
}

const largestLines = (view: View, countTokens: (row: Row) => number): string[] =>
  largestFirst(sentRows(view), countTokens)
    .slice(0, 20)
    .map(
      ({ row, tokens }) =>
        `${showTokens(tokens).padStart(8)}  ${row.pinned ? "pinned " : ""}${describeEntry(view, row.entry)}`,
    );

/** Below the picture: how much of the window that is. */
function windowLine({ usedTokens, effectiveTokens }: MeterReading, width: number): Line {
  const share = Math.min(1, usedTokens / Math.max(1, effectiveTokens));
  const used = usedTokens === 0 ? 0 : Math.max(1, Math.round(share * width));
  return [
    " ".repeat(margin),
    span("strong", "━".repeat(used)),
    span("meterFree", "─".repeat(width - used)),
  ];
}
