/** What of a file in work stands beside a summary: its whole text, its outline, or where it was edited. */

import { pathOf } from "../../protocol/other-agents.ts";
import type { Policy } from "../../protocol/policy.ts";
import { writtenIn } from "../tool-inputs.ts";
import { touchedFiles, type Touched } from "../recent-reads.ts";
import { bySize, type EconomyTuning } from "../economy-tuning.ts";
import type { View } from "../types.ts";
import { outline } from "./outline.ts";

/** Edits that are older than so many calls are done with. */
const freshCalls = 160;
/** Lines around an edit that are shown with it. */
const around = 5;
/** Of all places where a file was edited, in characters. */
const mostChars = 12_000;

/** Files that were touched, and the texts that calls put into them, the newest first. */
export type Work = { touched: Map<string, Touched>; written: Map<string, string[]> };

export function workOn(view: View): Work {
  const written = new Map<string, string[]>();
  let calls = 0;
  for (const { entry } of view.rows.toReversed()) {
    if (entry.type !== "assistant") continue;
    if (++calls > freshCalls) break;
    for (const block of entry.content) {
      const path = block.type === "tool_use" ? pathOf(block.input) : null;
      if (path === null || block.type !== "tool_use") continue;
      written.set(path, [...(written.get(path) ?? []), ...writtenIn(block.input)]);
    }
  }
  return { touched: touchedFiles(view), written };
}

/**
 * The text to show, and whether it is only a part; null: nothing of it. A file of more than
 * `largeChars` gives its outline. By economy, one that was not touched for a while gives only the
 * places where it was edited, and a large one those too.
 */
export function excerpt(
  path: string,
  whole: string,
  largeChars: number,
  { touched, written }: Work,
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

/** The lines that hold these texts, and some around them, with their numbers. */
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
