/** Lays out a compaction: what it removed, why, and at what price. */

import { counted } from "../../protocol/in-words.ts";
import type { Change, EntryOf, Trigger } from "../../protocol/entry.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { fit, wrapWords } from "../wrap.ts";
import { badges, showTokens, showUsd } from "./format.ts";
import type { ItemLayout } from "./item-layout.ts";

/** What triggered a compaction. */
const triggers: Record<Trigger, string> = {
  auto: "automatic",
  idle: "cache expired",
  key: "you",
  command: "/compact",
  model: "the model",
  "too-long": "prompt too long",
  inspector: "inspector",
};

function whatWasCut(changes: readonly Change[]): string {
  const inputs = changes.filter(({ kind }) => kind === "input").length;
  const results = changes.length - inputs;
  const parts = [
    results > 0 ? counted(results, "result") : "",
    inputs > 0 ? `long inputs of ${counted(inputs, "call")}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

export function cutLines(cut: EntryOf<"cut">, { width, theme, open }: ItemLayout): string[] {
  const { price, tier, trigger, summary, reason } = cut;
  const freed = price.usedBefore - price.usedAfter;
  const what = summary
    ? `${summary.messages} messages summarized`
    : `${badges[tier]}: ${whatWasCut(cut.changes)}`;
  const [, why] = trigger === "auto" || trigger === "idle" ? (/: (.+)/.exec(reason) ?? []) : [];
  const change = `${showTokens(price.usedBefore)} → ${showTokens(price.usedAfter)}`;
  const tokens =
    width < (why === undefined ? 72 : 120)
      ? change
      : `${change} tokens (${showTokens(freed)} freed)`;
  const numbers = `${tokens}, ${showUsd(price.usd)}`;
  const asked = why === undefined ? triggers[trigger] : sanitizeLine(why);
  const head = theme.paint(
    "boundary",
    fit(`── ${open ? "▾" : "▸"} ${what} · ${numbers} · ${asked} `.padEnd(width, "─"), width),
  );
  if (!open) return [head];
  const lines = [sanitizeLine(reason), ""];
  for (const change of cut.changes) {
    if (change.kind === "cover")
      lines.push(
        ...sanitize(`${change.text}\n${change.kept ?? ""}`)
          .trimEnd()
          .split("\n"),
      );
    else if (change.kind === "replace") lines.push(`${sanitize(change.text).split("\n")[0] ?? ""}`);
    else lines.push("the long input of a call was shortened");
  }
  if (summary && summary.losses.length > 0) {
    lines.push("", `No longer in view (${summary.losses.length}):`);
    for (const { kind, text } of summary.losses) lines.push(`  ${kind} ${sanitizeLine(text)}`);
  }
  if (summary && summary.instructionsPutBack.length > 0) {
    lines.push(
      "",
      "Kept verbatim:",
      ...summary.instructionsPutBack.map((text) => `  ${sanitizeLine(text)}`),
    );
  }
  return [
    head,
    ...lines
      .flatMap((line) => wrapWords(line, width - 4))
      .map((line) => `  ${theme.paint("boundary", "┃")} ${line}`),
  ];
}
