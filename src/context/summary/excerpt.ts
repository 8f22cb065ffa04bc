/** What a summary shows of an active file: its text, its outline, or the places that were edited. */

import { pathOf } from "../../protocol/other-agents.ts";
import type { Policy } from "../../protocol/policy.ts";
import { writtenIn } from "../tool-inputs.ts";
import { touchedFiles, type Touched } from "../recent-reads.ts";
import { bySize, type EconomyTuning } from "../economy-tuning.ts";
import type { View } from "../types.ts";
import { outline } from "./outline.ts";

/** Edits older than this many calls are finished work. */
const recentCalls = 160;
/** Lines around an edit that are shown with it. */
const around = 5;
/** Limit for all edited places of a file, in characters. */
const mostChars = 12_000;

/** Touched files, and the texts that calls wrote into them, newest first. */
export type EditHistory = { touched: Map<string, Touched>; written: Map<string, string[]> };

export function editHistoryOf(view: View): EditHistory {
  const written = new Map<string, string[]>();
  let calls = 0;
  for (const { entry } of view.rows.toReversed()) {
    if (entry.type !== "assistant") continue;
    if (++calls > recentCalls) break;
    for (const block of entry.content) {
      const path = block.type === "tool_use" ? pathOf(block.input) : null;
      if (path === null || block.type !== "tool_use") continue;
      written.set(path, [...(written.get(path) ?? []), ...writtenIn(block.input)]);
    }
  }
  return { touched: touchedFiles(view), written };
}

/**
 * The text to show, and whether it is only a part; null: nothing. A file of more than `largeChars` is
 * shown as its outline. Under the default policy, a file that was not touched for a while is shown
 * only where it was edited, and a large one there too.
 */
export function excerpt(
  path: string,
  whole: string,
  largeChars: number,
  { touched, written }: EditHistory,
  policy: Pick<Policy, "policy">,
  { fileBeside }: EconomyTuning,
): { text: string; isPart: boolean } | null {
  const large = whole.length > largeChars;
  const file = touched.get(path);
  const economical = policy.policy === "economy";
  const calls = bySize(whole.length, file?.edited ? fileBeside.edited : fileBeside.seen);
  const inWork = !economical || (file?.callsSince ?? 0) <= calls;
  if (inWork && !large) return { text: whole, isPart: false };
  const places = economical ? editedPlaces(whole, written.get(path) ?? []) : "";
  const parts = [inWork ? outline(whole, path) : "", places].filter((part) => part !== "");
  return parts.length === 0 ? null : { text: parts.join("\n"), isPart: true };
}

/** The lines that contain these texts, with a few lines of context and their numbers. */
function editedPlaces(whole: string, texts: readonly string[]): string {
  const lines = whole.split("\n");
  const shown = new Set<number>();
  for (const text of texts) {
    const at = text.trim() === "" ? -1 : whole.indexOf(text);
    if (at === -1) continue;
    const first = whole.slice(0, at).split("\n").length - 1;
    const last = first + text.split("\n").length - 1;
    const to = Math.min(lines.length - 1, last + around);
    for (let line = Math.max(0, first - around); line <= to; line++) shown.add(line);
  }
  let places = "";
  let before = -1;
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (line !== before + 1) places += `... line ${line + 1}:\n`;
    places += `${lines[line] ?? ""}\n`;
    before = line;
    if (places.length > mostChars) break;
  }
  return places;
}
