/** From a plan to a cut in the log. Whatever fails on the way, the history stays. */

import { tokensOf } from "../context/meter.ts";
import { freshTokens } from "../context/span.ts";
import { composeSummary, lossesOfEdited, type Composed } from "../context/summary/compose.ts";
import { fromTheStart, wholeSpans } from "../context/summary/spans.ts";
import { rowsOf } from "../context/summary/user-messages.ts";
import type { Plan } from "../context/types.ts";
import type { Span, SummaryReport } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { Summarizer, type SummaryDraft } from "./compaction/summarizer.ts";
import { readFilesInWork } from "./compaction/files.ts";
import type { CompactorOptions, Occasion } from "./compaction/parts.ts";
import { runPreCompact, copyOf, runPostCompact } from "./compaction/user-hooks.ts";
import { recordSummary, recordCut } from "./compaction/record.ts";
import { Reviews } from "./compaction/review.ts";

export type { CompactorOptions, Occasion } from "./compaction/parts.ts";

/** Share of what a summary replaces that it may be at most, all that is kept beside it included. */
const mostShare = 0.7;
/** Less than this, in tokens and not summarised yet, is not worth a summary. */
const leastTokens = 200;

export class Compactor {
  readonly #parts: CompactorOptions;
  readonly #author: Summarizer;
  readonly #reviews = new Reviews();

  constructor(parts: CompactorOptions) {
    this.#parts = parts;
    this.#author = new Summarizer(parts);
  }

  /** Makes the cut that the plan proposes. True when the log has it. */
  async *apply(plan: Plan, occasion: Occasion): AsyncGenerator<AgentEvent, boolean> {
    if ("summarise" in plan) return yield* this.#summarise(plan, occasion);
    const { tier, reason, changes, price } = plan;
    const { trigger } = occasion;
    yield await recordCut(this.#parts.session, { tier, reason, changes, price, trigger });
    return true;
  }

  /** A person's word on a summary that waits for it; null: do not compact. */
  review(id: string, text: string | null): void {
    this.#reviews.answer(id, text);
  }

  /** Up to the last word of the person nothing is written anywhere: a stop leaves no trace. */
  async *#summarise(
    plan: Plan & { summarise: Span },
    occasion: Occasion,
  ): AsyncGenerator<AgentEvent, boolean> {
    const { session } = this.#parts;
    const { signal, focus, trigger, forced } = occasion;
    const permission = await runPreCompact(this.#parts, occasion);
    if ("veto" in permission)
      return yield* notMade(`The preCompact hook said no: ${permission.veto}`);
    yield { type: "compaction", state: { step: "started", tier: plan.tier } };
    yield { type: "phase", phase: "compacting" };

    const asked = wholeSpans(session.view, plan.summarise);
    const { coveredChars, freshTokens: fresh } = this.#sizeOf(asked);
    if (!forced && fresh < leastTokens)
      return yield* notMade(
        `There is too little to compact: ${fresh} tokens that no summary holds yet.`,
      );
    const mostChars = Math.floor(coveredChars * mostShare);
    const asks = this.#asksFor(occasion);
    const { instructions } = permission;
    const draft = yield* this.#author.write({
      span: asked,
      mostChars,
      byHand: trigger === "key" || trigger === "command" || trigger === "inspector",
      mayBeSigned: !asks,
      signal,
      ...(focus ? { focus } : {}),
      ...(instructions ? { instructions } : {}),
    });
    if (draft === null) return yield* notMade(stopped);

    const signed = draft.by === "server";
    const span = signed ? wholeSpans(session.view, fromTheStart(session.view, asked)) : asked;
    const copy = copyOf(this.#parts);
    const composed = await this.#compose(span, draft, mostChars, copy?.path);
    let { text, losses } = composed;
    if (!signed && text.length >= coveredChars)
      return yield* notMade("Not compacted: what has to be kept is larger than what would go.");
    if (asks) {
      const id = `summary-${session.log.path.length}`;
      const reviewed = yield* this.#reviews.ask(id, text, signal);
      if (reviewed === null || reviewed.trim() === "") return yield* notMade(stopped);
      if (reviewed !== text) losses = lossesOfEdited(session.view, span, reviewed);
      text = reviewed;
    }
    if (signal.aborted) return yield* notMade(stopped);

    const uncopied = (await copy?.write()) ?? null;
    if (copy && uncopied !== null) text = text.replaceAll(copy.path, "(no copy)");
    for (const warning of [permission.warning, ...draft.warnings, uncopied]) {
      if (warning) yield await session.record({ type: "note", kind: "warning", text: warning });
    }
    const report: SummaryReport = {
      by: draft.by,
      ...(focus ? { focus } : {}),
      ...(draft.usage ? { usage: draft.usage } : {}),
      messages: composed.messages,
      instructionsPutBack: composed.putBack,
      losses,
    };
    yield await recordSummary(session, plan, trigger, span, draft, text, report);
    yield { type: "compaction", state: { step: "done" } };
    yield* runPostCompact(this.#parts, text);
    return true;
  }

  /** Every summary is shown with `confirmSummary`, but for one that the window forces. */
  #asksFor({ forced }: Occasion): boolean {
    return !forced && this.#parts.session.policy.confirmSummary;
  }

  async #compose(
    span: Span,
    draft: SummaryDraft,
    mostChars: number,
    transcript: string | undefined,
  ): Promise<Composed> {
    const { session, readFile } = this.#parts;
    const { view, rules, policy, log } = session;
    const files = await readFilesInWork(session, span, readFile);
    return composeSummary({
      view,
      span,
      summary: draft.text,
      by: draft.by,
      files,
      logFile: log.file,
      ...(transcript === undefined ? {} : { transcript }),
      rules,
      policy,
      mostChars: draft.by === "server" ? mostChars - draft.text.length : mostChars,
    });
  }

  /** What a summary would take away, and how much of it is not a summary itself. */
  #sizeOf(span: Span): { coveredChars: number; freshTokens: number } {
    const { view, rules } = this.#parts.session;
    const tokens = tokensOf(view, rules);
    const covered = rowsOf(view, span)
      .filter(({ pinned }) => !pinned)
      .reduce((sum, row) => sum + tokens(row), 0);
    return {
      coveredChars: covered * rules.charsPerToken.prose,
      freshTokens: freshTokens(view, span, tokens),
    };
  }
}

const stopped = "Not compacted; nothing was changed.";

async function* notMade(message: string): AsyncGenerator<AgentEvent, false> {
  yield { type: "compaction", state: { step: "failed", message } };
  return false;
}
