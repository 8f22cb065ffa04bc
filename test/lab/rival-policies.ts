/** The policies of other agents, as far as they are public. */

import { rowCounter, spanRange, spanRows } from "../../src/context/view/rows.ts";
import { cuttableResults } from "../../src/context/tiers/protect.ts";
import {
  spanBeforeExchange,
  spanBeforeTurn,
  spanTo,
  turnStart,
} from "../../src/context/summary/span.ts";
import { newestMessages, listUserMessages } from "../../src/context/summary/rules.ts";
import type { Plan, View } from "../../src/context/types.ts";
import type { Change, Span } from "../../src/protocol/entry.ts";
import type { CacheTtl, ModelRules } from "../../src/protocol/model.ts";
import { limited } from "./arrival.ts";
import type { FileShadow } from "./file-shadow.ts";
import { asPlan, clearing, common, numbers, plainSummary } from "./lesson-policies.ts";
import type { Now, ReplayPolicy, Summary } from "./policy.ts";

/** Before the newest turn, or within it before what the model has not seen yet. */
const spanAt = ({ moment, view }: Now): Span | null =>
  (moment === "turnStart" ? spanBeforeTurn(view) : null) ?? spanBeforeExchange(view);

/** The newest files again, each cut to its first 5,000 tokens. */
function withFiles(view: View, span: Span, rules: ModelRules, files: FileShadow): Summary {
  const maxChars = 5_000 * rules.charsPerToken.code;
  const newest = files.paths.slice(-5).toReversed();
  const shown = newest.map((path) => `${path}\n${(files.textOf(path) ?? "").slice(0, maxChars)}`);
  const base = plainSummary(view, span, rules);
  return { ...base, text: [base.text, ...shown].join("\n\n"), files: newest };
}

const idleMs = 60 * 60_000;
const keptWhenIdle = 5;
const cleared = "[Old tool result content cleared]";

/** After an hour, when even the long cache is cold: all but the newest results. */
function clearIdle(now: Now): Plan | null {
  const { view, reading } = now;
  if (reading.idleMs === null || reading.idleMs < idleMs) return null;
  const changes = cuttableResults(view, keptWhenIdle).flatMap((row): Change[] =>
    row.text === cleared || row.chars < 2 * cleared.length
      ? []
      : [{ kind: "replace", entry: row.entry.id, text: cleared }],
  );
  return clearing("idle for an hour", changes, now);
}

/**
 * Claude Code, as documented and observed: shell output up to 30,000 characters, old results cleared
 * after an hour, a summary with the 5 newest files when `isDue`.
 */
const claudeCode = (
  when: string,
  isDue: (usedTokens: number, windowTokens: number) => boolean,
  cacheTtl: CacheTtl = "5m",
): ReplayPolicy => ({
  ...common,
  source: `Claude Code: summary ${when} with the 5 newest files, results cleared after an idle hour, cache for ${cacheTtl}`,
  numbers: { ...numbers, cacheTtl },
  arrive: limited(30_000),
  plan(now) {
    const clear = clearIdle(now);
    if (clear) return clear;
    const isFull = isDue(now.reading.usedTokens, now.rules.windowTokens);
    return isFull ? asPlan(when, spanAt(now), now) : null;
  },
  summarize: withFiles,
});

const nearlyFull = (used: number, window: number): boolean => used > window - 33_000;

/** Up to the first user message after this share of the characters, or else up to the last. */
function oldest(view: View, share: number): Span | null {
  const all = view.rows.reduce((sum, { chars }) => sum + chars, 0);
  let before = 0;
  for (const [index, { entry, chars, shown }] of view.rows.entries()) {
    const starts = entry.type === "user" && shown !== "covered";
    if (starts && before >= all * share) return spanTo(view, index - 1);
    before += chars;
  }
  return spanTo(view, turnStart(view) - 1);
}

/** All but the newest exchanges, as many as fit into `tailTokens`. */
function allBut(view: View, rules: ModelRules, tailTokens: number): Span | null {
  let tail = 0;
  let end: number | null = null;
  for (let index = view.rows.length - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row || row.shown === "covered") break;
    tail += rowCounter(view, rules)(row);
    if (tail > tailTokens) break;
    if (row.entry.type === "user") end = index;
  }
  return end === null ? null : spanTo(view, end - 1);
}

const atWindow = "at window - 33,000";

export const rivals = {
  "window-33k": claudeCode(atWindow, nearlyFull),
  "window-33k-1h": claudeCode(atWindow, nearlyFull, "1h"),
  "at-100k": claudeCode(
    "at 100,000 tokens",
    (used, window) => used > 100_000 || nearlyFull(used, window),
  ),
  "at-130k": claudeCode(
    "at 130,000 tokens",
    (used, window) => used > 130_000 || nearlyFull(used, window),
  ),
  codex: {
    ...common,
    source:
      "summary at 90 % of the window, with the user's newest 20,000 tokens: openai/codex, codex-rs/protocol/src/openai_models.rs and core/src/compact.rs",
    plan(now) {
      if (now.reading.usedTokens < now.rules.windowTokens * 0.9) return null;
      return asPlan("90 % of the window", spanAt(now), now);
    },
    summarize(view, span, rules) {
      const newest = 20_000 * rules.charsPerToken.prose;
      const said = newestMessages(listUserMessages(spanRange(view, span)), newest, true);
      const base = plainSummary(view, span, rules);
      return { ...base, text: [...said.map(({ text }) => text), base.text].join("\n\n") };
    },
  },
  gemini: {
    ...common,
    source:
      "at 50 % of the window a summary replaces all but the newest 30 %, requested twice with a separate prompt: google-gemini/gemini-cli, packages/core/src/services/chatCompressionService.ts",
    plan(now) {
      if (now.reading.usedTokens < now.rules.windowTokens * 0.5) return null;
      return asPlan("50 % of the window", oldest(now.view, 0.7), now);
    },
    summarize(view, span, rules) {
      const base = plainSummary(view, span, rules);
      const tokens = rowCounter(view, rules);
      const covered = spanRows(view, span).reduce((sum, row) => sum + tokens(row), 0);
      return { ...base, outputTokens: base.outputTokens * 2, ownTokens: covered * 2 };
    },
  },
  opencode: {
    ...common,
    source:
      "summary at window - 52,000 of all but the newest 15,000 tokens, by a separate request: sst/opencode, packages/opencode/src/session/compaction.ts and overflow.ts",
    plan(now) {
      if (now.reading.usedTokens < now.rules.windowTokens - 52_000) return null;
      const span = allBut(now.view, now.rules, 15_000) ?? spanAt(now);
      return asPlan("window - 52,000", span, now);
    },
    summarize(view, span, rules) {
      // It sends 2,000 characters of each result.
      const sent = spanRows(view, span).reduce(
        (sum, { chars, entry }) => sum + (entry.type === "result" ? Math.min(2_000, chars) : chars),
        0,
      );
      return {
        ...plainSummary(view, span, rules),
        ownTokens: Math.ceil(sent / rules.charsPerToken.prose),
      };
    },
  },
} satisfies Record<string, ReplayPolicy>;
