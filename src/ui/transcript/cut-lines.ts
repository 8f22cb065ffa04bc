/** Lays out a compaction: what it removed, why, and at what price. */

import { counted } from "../../base/in-words.ts";
import type { Change, EntryOf, TierName, Trigger } from "../../protocol/entry.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { fit, wrapWords } from "../wrap.ts";
import { showTokens, showUsd } from "./format.ts";
import type { ItemLayout } from "./item-layout.ts";

/** What triggered a compaction. */
const triggers: Record<Trigger, string> = {
  auto: "automatic",
  idle: "cache expired",
  key: "by you",
  command: "by /compact",
  model: "by the model",
  "too-long": "prompt too long",
  inspector: "by you",
};

/** What each tier does to results: "3 old results cleared". */
const done: Record<TierName, readonly [what: string, how: string]> = {
  persist: ["large result", "saved to a file"],
  budget: ["large result", "trimmed"],
  snip: ["stale result", "dropped"],
  microcompact: ["old result", "cleared"],
  summary: ["result", "summarized"],
  manual: ["item", "dropped"],
};

function whatWasCut(tier: TierName, changes: readonly Change[]): string {
  const inputs = changes.filter(({ kind }) => kind === "input").length;
  const results = changes.length - inputs;
  const [what, how] = done[tier];
  const parts = [
    results > 0 ? `${counted(results, what)} ${how}` : "",
    inputs > 0 ? `long inputs of ${counted(inputs, "call")} shortened` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** How it is undone. */
const undo = " /undo-compact ──";

/** The longest form that leaves room for how it is undone, or else the longest that fits. */
function headline(forms: readonly string[], width: number): string {
  const roomBeside = (text: string): number => width - 4 - Bun.stringWidth(text);
  const roomy = forms.find((form) => roomBeside(form) >= undo.length + 2);
  const text = roomy ?? forms.find((form) => roomBeside(form) >= 2) ?? forms.at(-1) ?? "";
  const end = roomy === undefined ? "" : undo;
  return `── ${text} ${"─".repeat(Math.max(0, roomBeside(text) - end.length))}${end}`;
}

export function cutLines(cut: EntryOf<"cut">, { width, theme, open }: ItemLayout): string[] {
  const { price, tier, trigger, summary, reason } = cut;
  const freed = price.usedBefore - price.usedAfter;
  const what = summary ? `${summary.messages} messages summarized` : whatWasCut(tier, cut.changes);
  const [, why] = trigger === "auto" || trigger === "idle" ? (/: (.+)/.exec(reason) ?? []) : [];
  // Estimated, as the meter marks it until the server has counted.
  const change = `${showTokens(price.usedBefore)} → ~${showTokens(price.usedAfter)}`;
  const asked = why === undefined ? triggers[trigger] : sanitizeLine(why);
  const forms = [`${change} tokens (${showTokens(freed)} freed)`, change].map(
    (tokens) => `${open ? "▾" : "▸"} ${what} · ${tokens}, ${showUsd(price.usd)} · ${asked}`,
  );
  const head = theme.paint("boundary", fit(headline(forms, width), width));
  if (!open) return [head];
  const { losses = [], instructionsPutBack = [] } = summary ?? {};
  const lines = [sanitizeLine(reason), "", ...cut.changes.map(changeText)];
  if (losses.length > 0) {
    lines.push("", `No longer in view (${losses.length}):`);
    lines.push(...losses.map(({ kind, text }) => `  ${kind} ${sanitizeLine(text)}`));
  }
  if (instructionsPutBack.length > 0)
    lines.push(
      "",
      "Kept verbatim:",
      ...instructionsPutBack.map((text) => `  ${sanitizeLine(text)}`),
    );
  return [
    head,
    ...lines
      .flatMap((line) => wrapWords(line, width - 4))
      .map((line) => `  ${theme.paint("boundary", "┃")} ${line}`),
  ];
}

function changeText(change: Change): string {
  if (change.kind === "input") return "the long input of a call was shortened";
  if (change.kind === "cover") return sanitize(`${change.text}\n${change.kept ?? ""}`).trimEnd();
  return sanitize(change.text).split("\n", 1).join();
}
