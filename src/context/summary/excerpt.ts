/** What a summary shows of an active file: its text, its outline, or the places that were edited. */

import type { Policy } from "../../protocol/policy.ts";
import { listWritten } from "../tiers/replacement.ts";
import { fileOfCall } from "../view/touches.ts";
import { callsFor, chooseTuning } from "../tiers/tuning.ts";
import type { View } from "../types.ts";
import { newestFirst, wholeRange } from "../view/rows.ts";
import { outline } from "./outline.ts";

/** Edits older than this many calls are finished work. */
const recentCalls = 160;
/** Limit for all edited places of a file, in characters. */
const maxRegionChars = 12_000;

/** Used files, and the texts that calls wrote into them, newest first. */
export type EditHistory = { useOf: View["fileUse"]; written: Map<string, string[]> };

export function readEditHistory(view: View): EditHistory {
  const written = new Map<string, string[]>();
  let calls = 0;
  for (const { entry } of newestFirst(wholeRange(view))) {
    if (entry.type !== "assistant") continue;
    if (++calls > recentCalls) break;
    for (const block of entry.content) {
      const path = block.type === "tool_use" ? fileOfCall(view, block.input) : null;
      if (path === null || block.type !== "tool_use") continue;
      written.set(path, [...(written.get(path) ?? []), ...listWritten(block.input)]);
    }
  }
  return { useOf: view.fileUse, written };
}

/**
 * The text to show, and whether it is only a part; null: nothing. A file of more than `largeChars` is
 * shown as its outline. Under the default policy, a file that was not used for a while is shown only
 * where it was edited, and a large one there too.
 */
export function excerpt(
  path: string,
  whole: string,
  largeChars: number,
  { useOf, written }: EditHistory,
  policy: Pick<Policy, "policy" | "balance">,
): { text: string; isPart: boolean } | null {
  const isLarge = whole.length > largeChars;
  const use = useOf(path);
  const byPrice = policy.policy === "cache-aware";
  const { editedBesideSummary, readBesideSummary } = chooseTuning(policy);
  const calls = callsFor(whole.length, use?.edited ? editedBesideSummary : readBesideSummary);
  const inUse = !byPrice || (use?.callsSince ?? 0) <= calls;
  if (inUse && !isLarge) return { text: whole, isPart: false };
  const regions = byPrice ? editedRegions(whole, written.get(path) ?? [], maxRegionChars) : "";
  const parts = [inUse ? outline(whole, path) : "", regions].filter((part) => part !== "");
  return parts.length === 0 ? null : { text: parts.join("\n"), isPart: true };
}

/** Lines of context around an edit. */
const around = 5;

/** The lines that contain `texts`, with context and line numbers; at most about `maxChars`. */
export function editedRegions(whole: string, texts: readonly string[], maxChars: number): string {
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
  let regions = "";
  let before = -1;
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (line !== before + 1) regions += `... line ${line + 1}:\n`;
    regions += `${lines[line] ?? ""}\n`;
    before = line;
    if (regions.length > maxChars) break;
  }
  return regions;
}
