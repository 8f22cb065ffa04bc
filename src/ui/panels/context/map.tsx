import { type ReactNode, useMemo } from "react";
import { type Kind, kinds } from "../../../context/view/char-count.ts";
import { rowCounter } from "../../../context/view/rows.ts";
import {
  byDefinition,
  byFile,
  bySource,
  byTool,
  type Share,
} from "../../../context/meter/shares.ts";
import type { MeterReading, View } from "../../../context/types.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import { inColumns, type Line, type Span, span } from "../../spans.ts";
import { sanitizeLine } from "../../sanitize.ts";
import type { Role } from "../../theme.ts";
import { showTokens } from "../../transcript/format.ts";
import { shareCells } from "../../components/meter/meter-line.ts";
import { forecastFor } from "../../components/meter/live.ts";
import { useTheme } from "../../look.ts";
import { useScreen, useSource, useStore } from "../../screen-context.ts";
import { usePanelSize } from "../panel-box.tsx";
import { TextPanel } from "../text-panel.tsx";
import { useTabs } from "./tabs.ts";

type KindLook = { name: string; role: Role; sign: string; letter: string };

/** Kinds in the meter's colors; shades separate kinds of one color, letters identify all of them. */
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

/** Names listed per section; the rest share one line. */
const maxListed = 12;

/** Grid of cells, then numbers by kind, tool, file and item. */
export function MapPanel(): ReactNode {
  const { reading, view, rules } = useStore();
  const { columns } = usePanelSize();
  const { name: theme } = useTheme();
  const tabs = useTabs("map");
  const { cwd } = useSource().screen.session;
  const cutAt = useScreen((screen) => forecastFor(screen).bySize?.atTokens ?? null);
  const shares = useMemo(() => shareSections(view, rules, cwd), [view, view.version, rules, cwd]);
  const { usedTokens, effectiveTokens, errorTokens } = reading;
  const error = errorTokens === 0 ? "" : `, ±${showTokens(errorTokens)}`;
  const width = Math.max(5, columns - 2 * margin);
  /** Cell of a kind: a colored block, or a letter without colors. */
  const sign = (kind: Kind): Span => {
    const { role, sign: block, letter } = looks[kind];
    return span(role, theme === "none" ? letter : block);
  };
  const lines = [
    ...picture(reading, cutAt, width, sign),
    "",
    ...inColumns(columns, () => [legend(reading, cutAt, sign), ...shares]),
  ];
  return (
    <TextPanel
      tabs={tabs}
      title={`Context: ${showTokens(usedTokens)} of ${showTokens(effectiveTokens)} tokens${error}`}
      hint="Tab next view · Esc close"
      lines={lines}
    />
  );
}

function shareSections(view: View, rules: ModelRules, cwd: string): Line[][] {
  const tokens = rowCounter(view, rules);
  const section = (title: string, shares: readonly Share[], least = 0): Line[][] =>
    shares.length < least ? [] : [[span("heading", title), ...shareLines(shares, cwd)]];
  return [
    // Without servers, the line "tools" above covers everything.
    ...section("Tool definitions", byDefinition(view, rules), 2),
    // The first source is the environment, which every session has.
    ...section("Instructions, notes, skills and hooks", bySource(view, tokens), 2),
    ...section("By tool", byTool(view, tokens)),
    ...section("By file", byFile(view, tokens)),
  ];
}

const pictureRows = 3;

/** Empty cells: free, reserved for the answer, or the mark of the next cut. */
const emptyCells = { free: span("dim", "·"), reserve: span("meterFree", "░"), cut: "╎" } as const;

/** Rows of `width` cells for the whole window: used, free, and reserved for the answer. */
function picture(
  { breakdown, usedTokens, effectiveTokens, windowTokens }: MeterReading,
  cutAt: number | null,
  width: number,
  sign: (kind: Kind) => Span,
): readonly Line[] {
  const count = width * pictureRows;
  const scale = count / Math.max(1, windowTokens);
  const present = kinds.filter((kind) => breakdown[kind] > 0);
  const sized = present.map((kind) => ({ tokens: breakdown[kind] }));
  const used = Math.min(count, Math.max(present.length, Math.round(usedTokens * scale)));
  const shares = shareCells(sized, used);
  const reserveFrom = Math.round(effectiveTokens * scale);
  const cut = cutAt === null ? -1 : Math.max(used, Math.round(cutAt * scale));
  const filled = present.flatMap((kind, at) => Array<Span>(shares[at] ?? 0).fill(sign(kind)));
  const empty = Array.from({ length: count - filled.length }, (_, index): Span => {
    const at = filled.length + index;
    if (at === cut) return emptyCells.cut;
    return at >= reserveFrom ? emptyCells.reserve : emptyCells.free;
  });
  const cells = [...filled, ...empty];
  return Array.from({ length: pictureRows }, (_, row) => [
    " ".repeat(margin),
    ...cells.slice(row * width, (row + 1) * width),
  ]);
}

/** Rows of the kinds, then of unused tokens; shares refer to the usable window. */
function legend(
  { breakdown, leftTokens, windowTokens, effectiveTokens }: MeterReading,
  cutAt: number | null,
  sign: (kind: Kind) => Span,
): Line[] {
  const row = (cell: Span, name: string, tokens: number, isShare = true): Line => {
    const percent = Math.round((tokens / effectiveTokens) * 100);
    const share = percent === 0 && tokens > 0 ? "<1" : String(percent);
    return [
      cell,
      ` ${name.padEnd(16)} ${showTokens(tokens).padStart(8)}${isShare ? ` ${share.padStart(3)} %` : ""}`,
    ];
  };
  const reserve = windowTokens - effectiveTokens;
  const present = kinds.filter((kind) => breakdown[kind] > 0);
  return [
    ...present.map((kind) => row(sign(kind), looks[kind].name, breakdown[kind])),
    row(emptyCells.free, "free", Math.max(0, leftTokens)),
    ...(cutAt === null ? [] : [row(emptyCells.cut, "next compaction", cutAt, false)]),
    ...(reserve > 0 ? [row(emptyCells.reserve, "kept for answer", reserve, false)] : []),
  ];
}

function shareLines(shares: readonly Share[], cwd: string): string[] {
  if (shares.length === 0) return ["  nothing yet"];
  const rest = shares.slice(maxListed);
  const more = {
    name: `${rest.length} more`,
    tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0),
    items: rest.reduce((sum, { items }) => sum + items, 0),
  };
  return [...shares.slice(0, maxListed), ...(rest.length > 0 ? [more] : [])].map(
    ({ name, tokens, items }) =>
      `${showTokens(tokens).padStart(8)} ${String(items).padStart(4)}×  ${sanitizeLine(name.replace(`${cwd}/`, ""))}`,
  );
}
