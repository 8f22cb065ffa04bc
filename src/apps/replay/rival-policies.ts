/** Policies of other agents, as far as they are public, to compare with. */

import { tokensOf } from "../../context/meter.ts";
import { spanBeforeExchange, spanBeforeTurn, spanTo, turnStart } from "../../context/span.ts";
import { newestMessages, rowsOf, userMessagesIn } from "../../context/summary/user-messages.ts";
import type { Moment, View } from "../../context/types.ts";
import type { Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import { whole } from "./ingest.ts";
import type { FileShadow } from "./files.ts";
import { asPlan, numbers, short } from "./lesson-policies.ts";
import type { ReplayPolicy, Summary } from "./policy.ts";

const common = { numbers, marks: "ends", arrive: whole } as const;

/** Before the newest turn, or within it before what the model has not seen yet. */
const spanAt = (moment: Moment, view: View): Span | null =>
  (moment === "turnStart" ? spanBeforeTurn(view) : null) ?? spanBeforeExchange(view);

/** The newest files again, each cut to its first 5,000 tokens. */
function withFiles(view: View, span: Span, files: FileShadow, rules: ModelRules): Summary {
  const most = 5_000 * rules.charsPerToken.code;
  const newest = files.paths.slice(-5).toReversed();
  const shown = newest.map((path) => `${path}\n${(files.textOf(path) ?? "").slice(0, most)}`);
  const base = short(view, span);
  return { ...base, text: [base.text, ...shown].join("\n\n"), files: newest };
}

export const windowLess33k: ReplayPolicy = {
  name: "window-33k",
  source:
    "summary at window - 33,000 with the 5 newest files: Claude Code's documented auto-compact",
  ...common,
  plan(moment, view, reading, rules) {
    if (reading.usedTokens <= rules.windowTokens - 33_000) return null;
    return asPlan("window - 33,000", spanAt(moment, view), view, reading, rules);
  },
  summarise: withFiles,
};

/** What a summary may cost beside the conversation, in tokens of the user's own words. */
const codexUserTokens = 20_000;

export const codex: ReplayPolicy = {
  ...common,
  name: "codex",
  source:
    "summary at 90 % of the window, with the user's newest 20,000 tokens: openai/codex, codex-rs/protocol/src/openai_models.rs and core/src/compact.rs",
  plan(moment, view, reading, rules) {
    if (reading.usedTokens < rules.windowTokens * 0.9) return null;
    return asPlan("90 % of the window", spanAt(moment, view), view, reading, rules);
  },
  summarise(view, span, _files, rules) {
    const said = newestMessages(
      userMessagesIn(rowsOf(view, span)),
      codexUserTokens * rules.charsPerToken.prose,
    );
    const base = short(view, span);
    return { ...base, text: [...said.map(({ text }) => text), base.text].join("\n\n") };
  },
};

export const gemini: ReplayPolicy = {
  ...common,
  name: "gemini",
  source:
    "at 50 % of the window all but the newest 30 % gives way to a summary, which is asked for twice with a prompt of its own: google-gemini/gemini-cli, packages/core/src/services/chatCompressionService.ts",
  plan(_moment, view, reading, rules) {
    if (reading.usedTokens < rules.windowTokens * 0.5) return null;
    return asPlan("50 % of the window", oldest(view, 0.7), view, reading, rules);
  },
  summarise(view, span, _files, rules) {
    const base = short(view, span);
    const covered = coveredTokens(view, span, rules);
    return { ...base, outputTokens: base.outputTokens * 2, ownTokens: covered * 2 };
  },
};

export const opencode: ReplayPolicy = {
  ...common,
  name: "opencode",
  source:
    "summary at window - 52,000 of all but the newest 15,000 tokens, by a request of its own: sst/opencode, packages/opencode/src/session/compaction.ts and overflow.ts",
  plan(moment, view, reading, rules) {
    if (reading.usedTokens < rules.windowTokens - 52_000) return null;
    const span = allBut(view, rules, 15_000) ?? spanAt(moment, view);
    return asPlan("window - 52,000", span, view, reading, rules);
  },
  summarise(view, span, _files, rules) {
    // Of each result it sends 2,000 characters.
    const told = rowsOf(view, span).reduce(
      (sum, { chars, entry }) => sum + (entry.type === "result" ? Math.min(2_000, chars) : chars),
      0,
    );
    return { ...short(view, span), ownTokens: Math.ceil(told / rules.charsPerToken.prose) };
  },
};

const coveredTokens = (view: View, span: Span, rules: ModelRules): number =>
  rowsOf(view, span).reduce((sum, row) => sum + tokensOf(view, rules)(row), 0);

/** Up to the first message of the user's behind this share of the characters; else up to the last. */
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
    tail += tokensOf(view, rules)(row);
    if (tail > tailTokens) break;
    if (row.entry.type === "user") end = index;
  }
  return end === null ? null : spanTo(view, end - 1);
}
