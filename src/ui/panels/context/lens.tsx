import type { Block } from "../../../protocol/block.ts";
import type { Entry } from "../../../protocol/entry.ts";
import type { View } from "../../../context/types.ts";
import { TextPanel } from "../text-panel.tsx";
import { badges } from "../../../context/describe-cut.ts";
import { clamp } from "../navigation.ts";
import { counted } from "../../../base/format.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import { findRow } from "../../../context/view/rows.ts";
import { type Line, span } from "../../spans.ts";
import { project } from "../../../context/view/view.ts";
import { sanitize } from "../../sanitize.ts";
import { type ReactNode, useMemo, useState } from "react";
import { usePanelSize } from "../panel-box.tsx";
import { useStore } from "../../screen-context.ts";
import { useTabs } from "./tabs.ts";
import { hang } from "../../painted-text.ts";

/** The exact request of a call, or the current view, with later removals marked. */
export function LensPanel(): ReactNode {
  const { view, state } = useStore();
  const { columns } = usePanelSize();
  const tabs = useTabs("lens");
  /** Index of a call; null: the current view. */
  const [at, setAt] = useState<number | null>(null);
  const [showsTools, setShowsTools] = useState(false);
  const path = useMemo(() => [...state.path], [state.path]);
  const calls = useMemo(() => listCalls(path), [path]);
  const position = Math.min(at ?? calls.length, calls.length);
  const call = calls[position];
  const shown = [path, call, view, view.version];
  const seen = useMemo(() => (call === undefined ? view : project(path.slice(0, call))), shown);
  const lines = useMemo(
    () => [
      sliderLine(position, calls.length, columns),
      ...cutLines(path, calls, position, view),
      ...openingLines(seen, columns, showsTools),
      ...seen.messages.flatMap(({ role, content }) => [
        span("heading", role),
        ...content.flatMap((block) => blockLines(blockText(block), columns)),
      ]),
    ],
    [...shown, columns, showsTools],
  );
  const slide = (step: number): void => {
    const next = clamp(position + step, calls.length);
    setAt(next === calls.length ? null : next);
  };
  const what = call === undefined ? "sees now" : `saw at call ${position + 1} of ${calls.length}`;
  return (
    <TextPanel
      tabs={tabs}
      title={`Lens: what the model ${what}`}
      hint="← → other calls · t tools · Tab next view · Esc close"
      lines={lines}
      keys={{
        left: () => slide(-1),
        right: () => slide(1),
        t: () => setShowsTools(!showsTools),
      }}
    />
  );
}

/** The number of entries before each call. */
const listCalls = (path: readonly Entry[]): number[] =>
  path.flatMap((entry, index) =>
    entry.type === "assistant" && entry.stop !== "failed" ? [index] : [],
  );

/** The compactions and undos between call `at` and the next; `view` is one that knows the whole path. */
function cutLines(
  path: readonly Entry[],
  calls: readonly number[],
  at: number,
  view: View,
): Line[] {
  const call = Math.min(at, calls.length - 1);
  const next = call + 1 < calls.length ? `call ${call + 2}` : "now";
  const when = at < calls.length ? `between this call and ${next}` : "since the last call";
  return path.slice(calls[call] ?? 0, calls[call + 1] ?? path.length).flatMap((entry) => {
    if (entry.type === "cut") {
      const { usedBefore, usedAfter, usd, isEstimate } = entry.price;
      const price = usd === 0 ? "" : `, ${showUsd(usd, isEstimate)}`;
      const freed = `${showTokens(usedBefore - usedAfter)} tokens${price}`;
      return [span("boundary", `✂ ${badges[entry.tier]} ${when}: ${freed}`)];
    }
    if (entry.type !== "restore") return [];
    const cut = findRow(view, entry.cut)?.entry;
    const what = cut?.type === "cut" ? badges[cut.tier] : "compaction";
    return [span("boundary", `${entry.redo ? "↻ redone" : "↺ undone"} ${when}: ${what}`)];
  });
}

/** Slider: one cell per call, or per group of calls in narrow terminals. */
function sliderLine(at: number, calls: number, columns: number): Line {
  const cells = Math.max(2, Math.min(calls + 1, columns - 14));
  const cell = calls === 0 ? 0 : Math.round((at / calls) * (cells - 1));
  const track = `${"─".repeat(cell)}●${"─".repeat(cells - 1 - cell)}`;
  return [span("dim", "first "), span("accent", track), " now"];
}

/**
 * Sent before all messages: the initial tools and the system prompt. `whole`: with full descriptions and
 * input schemas.
 */
function openingLines({ session }: Pick<View, "session">, columns: number, whole: boolean): Line[] {
  if (!session) return [];
  const { system, tools } = session;
  return [
    span("heading", `tools: ${counted(tools.length, "definition")}`),
    ...tools.flatMap(({ name, description, input_schema }) =>
      whole
        ? blockLines(`${name}: ${description}\n${JSON.stringify(input_schema, null, 2)}`, columns)
        : blockLines(`${name}: ${description.split("\n", 1).join()}`, columns),
    ),
    span("heading", "system"),
    ...blockLines(system, columns),
  ];
}

const blockLines = (text: string, columns: number): string[] =>
  sanitize(text)
    .split("\n")
    .flatMap((line) => {
      const indent = `  ${/^ */.exec(line)?.[0] ?? ""}`.slice(0, Math.floor(columns / 2));
      return hang(indent, line.trimStart(), columns);
    });

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `[thinking] ${block.thinking}`;
    case "redacted_thinking":
      return "[thinking, redacted]";
    case "tool_use":
      return `[call ${block.id}] ${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return `[result of ${block.tool_use_id}${block.is_error ? ", an error" : ""}]\n${block.content.map(blockText).join("\n")}`;
    case "image":
      return `[image, ${block.source.media_type}]`;
    case "compaction":
      return `[the server's summary] ${block.content ?? ""}`;
    default:
      return block satisfies never;
  }
}
