/** Exactly what the model sees now, or saw at an earlier call; and what was cut in between. */

import { useMemo } from "react";
import { useCell } from "../cell.ts";
import { project } from "../../context/view.ts";
import type { View } from "../../context/types.ts";
import type { Block } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import { useKeys } from "../input.tsx";
import { itemsOf } from "../list.ts";
import { sanitise } from "../sanitise.ts";
import { badges, showTokens } from "../transcript/looks.ts";
import type { PartProps } from "../types.ts";
import type { Theme } from "../theme.ts";
import { wrapAnywhere } from "../wrap.ts";
import { Frame } from "./frame.tsx";
import { useScrolling } from "./scrolling.ts";

export function LensPanel({ state, view, theme, columns, rows }: PartProps) {
  const path = useMemo(() => [...itemsOf(state.path)], [state.path]);
  const calls = useMemo(() => callsIn(path), [path]);
  /** A call, from 0; beyond the last one: now. */
  const at = useCell(calls.length);
  const call = calls[at.get()];
  const seen = useMemo(
    () => (call === undefined ? view : project(path.slice(0, call))),
    [path, call, view],
  );
  const lines = [
    ...cutsBetween(path, calls, at.get(), theme),
    ...messageLines(seen, columns, theme),
  ];
  const from = useScrolling(lines.length, rows);
  useKeys("dialog", (event) => {
    if (event.type !== "key") return false;
    if (event.chord === "left") at.set(Math.max(0, at.get() - 1));
    else if (event.chord === "right") at.set(Math.min(calls.length, at.get() + 1));
    else return false;
    return true;
  });
  const where = call === undefined ? "now" : `call ${at.get() + 1} of ${calls.length}`;
  const title = `Lens: what the model ${call === undefined ? "sees" : "saw"}, ${where}, ${seen.messages.length} messages`;
  return (
    <Frame
      title={title}
      hint="← and → to other calls · Esc closes"
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

/** Entries that stood before each call. */
export const callsIn = (path: readonly Entry[]): number[] =>
  path.flatMap((entry, index) =>
    entry.type === "assistant" && entry.stop !== "failed" ? [index] : [],
  );

/** The cuts and restores that were made between this call and the one before. */
function cutsBetween(
  path: readonly Entry[],
  calls: readonly number[],
  at: number,
  theme: Theme,
): string[] {
  const between = path.slice(calls[at - 1] ?? 0, calls[at] ?? path.length);
  return between.flatMap((entry) => {
    if (entry.type === "restore")
      return [theme.paint("boundary", `↺ taken back before this call: ${entry.cut}`)];
    if (entry.type !== "cut") return [];
    const freed = showTokens(entry.price.usedBefore - entry.price.usedAfter);
    return [
      theme.paint(
        "boundary",
        `✂ before this call, ${badges[entry.tier]}: ${entry.changes.length} changes, ${freed} tokens`,
      ),
    ];
  });
}

/** Longer blocks show so many lines; the whole is in the transcript. */
const mostLines = 200;

function messageLines(view: View, columns: number, theme: Theme): string[] {
  return view.messages.flatMap(({ role, content }) => [
    theme.paint("heading", role),
    ...content.flatMap((block) => {
      const all = sanitise(wordsOf(block)).split("\n");
      const more = all.length > mostLines ? [`... ${all.length - mostLines} more lines`] : [];
      return [...all.slice(0, mostLines), ...more].flatMap((line) =>
        wrapAnywhere(`  ${line}`, columns),
      );
    }),
  ]);
}

function wordsOf(block: Block): string {
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
      return `[result of ${block.tool_use_id}${block.is_error ? ", an error" : ""}]\n${block.content.map(wordsOf).join("\n")}`;
    case "image":
      return `[image, ${block.source.media_type}]`;
    case "compaction":
      return `[the server's summary] ${block.content ?? ""}`;
    default:
      return block satisfies never;
  }
}
