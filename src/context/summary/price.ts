/**
 * The price of a summary before it is made. Its verbatim parts are composed in full, from the files as the log knows
 * them. Only the length of the summary text is assumed, until the text is written.
 */

import { callUsd, priceChanges } from "../meter/cache.ts";
import { proseRatio } from "../meter/meter.ts";
import { newestFirst, wholeRange } from "../view/rows.ts";
import { findCallFile } from "../view/touches.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, Entry, EntryOf, Price, Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Signals, View } from "../types.ts";
import { ActiveFiles } from "./files-in-work.ts";
import { composeText, summaryLimits } from "./compose.ts";
import { extractUsual, usualChars } from "./extract.ts";
import { signedSpan } from "./span.ts";

/** Tokens of the analysis before a written summary, which is dropped. */
const analysisTokens = 1_000;

/** Expected price of a summary, including the call that writes it; `ready`: a written summary, whose call is paid. */
export function priceOfSummary(now: Signals, span: Span, ready?: EntryOf<"attempt">): Price {
  const { change, summaryChars } = expectedCover(now, span, ready);
  const price = priceChanges(now, [change]);
  const { view, rules, policy } = now;
  if (ready || !isWritten(rules, policy)) return price;
  const output = summaryChars / proseRatio(view, rules) + analysisTokens;
  return priceChanges(now, [change], callUsd(now, output));
}

type Expected = { change: Change; summaryChars: number };
type Known = Pick<Signals, "rules" | "policy"> & {
  version: number;
  span: Span;
  by: string;
  most: number;
};
const known = new WeakMap<readonly Entry[], Known & Expected>();

/** Composed once for each version of the view: a forecast asks for several sizes. */
function expectedCover(now: Signals, span: Span, ready?: EntryOf<"attempt">): Expected {
  const { view, rules, policy } = now;
  const by = ready?.id ?? "";
  const limits = summaryLimits(view, span, rules, policy, now.reading.usedTokens);
  const most = limits.maxChars;
  const before = known.get(view.path);
  const isSame =
    before?.version === view.version &&
    before.by === by &&
    before.most === most &&
    before.rules === rules &&
    before.policy === policy &&
    before.span.from === span.from &&
    before.span.to === span.to;
  if (isSame) return before;
  const expected = compose(now, span, limits, ready);
  known.set(view.path, { version: view.version, span, rules, policy, by, most, ...expected });
  return expected;
}

function compose(
  { view, rules, policy }: Signals,
  wanted: Span,
  { coveredChars, maxChars }: ReturnType<typeof summaryLimits>,
  ready?: EntryOf<"attempt">,
): Expected {
  const isSigned = ready ? ready.by === "server" : usesServerSummary(rules, policy);
  const span = isSigned ? signedSpan(view, wanted) : wanted;
  const expected = isWritten(rules, policy)
    ? "x".repeat(usualChars(view, rules, coveredChars))
    : extractUsual(view, span, rules, coveredChars);
  const summary = ready?.draft?.text ?? expected;
  const { text } = composeText({
    view,
    span,
    summary,
    by: isSigned ? "server" : ready || isWritten(rules, policy) ? "model" : "extract",
    files: knownFiles(view, span, rules, policy),
    rules,
    maxChars: isSigned ? maxChars - summary.length : maxChars,
  });
  const block = { type: "compaction", content: summary, signature: "" } as const;
  const change: Change = isSigned
    ? { kind: "cover", span, text: summary, block, kept: text }
    : { kind: "cover", span, text };
  return { change, summaryChars: summary.length };
}

/** Whether a model writes the summary. Otherwise the summary is built from the log, and its text is known. */
const isWritten = (rules: ModelRules, policy: Policy): boolean =>
  (rules.summarizer ?? rules).summarizes !== false || usesServerSummary(rules, policy);

/** The server writes summaries. */
const usesServerSummary = (rules: ModelRules, { engine }: Policy): boolean =>
  rules.compacts && engine !== "client" && !rules.summarizer;

/** The files that a summary will show, as the log knows them. */
function knownFiles(view: View, span: Span, rules: ModelRules, policy: Policy) {
  const files = new ActiveFiles(view, span, rules, policy);
  const texts = knownTexts(view, files.candidates);
  for (const path of files.candidates) {
    if (files.isFull) break;
    files.offer(path, texts.get(path) ?? null);
  }
  return files.chosen;
}

/** The newest whole reading or writing of each file; where there is none, a text of its size. */
function knownTexts(view: View, paths: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const sizes = new Map<string, number>();
  const wanted = new Set(paths);
  for (const { entry } of newestFirst(wholeRange(view))) {
    if (entry.type === "assistant")
      for (const block of entry.content) {
        const content = block.type === "tool_use" ? block.input["content"] : undefined;
        const path = block.type === "tool_use" ? findCallFile(view, block.input) : null;
        if (path !== null && typeof content === "string" && !texts.has(path))
          texts.set(path, content);
      }
    if (entry.type !== "result") continue;
    for (const { path, does, lines, bytes } of entry.stamps ?? []) {
      if (!wanted.has(path)) continue;
      if (!sizes.has(path)) sizes.set(path, bytes);
      const isWhole = does === "read" && !lines && entry.file === undefined;
      if (isWhole && !texts.has(path)) texts.set(path, withoutNumbers(blockText(entry.content)));
    }
  }
  for (const [path, bytes] of sizes) if (!texts.has(path)) texts.set(path, "x".repeat(bytes));
  return texts;
}

/** As Read numbers lines. */
const withoutNumbers = (text: string): string => text.replace(/^ *\d+[→\t]/gm, "");
