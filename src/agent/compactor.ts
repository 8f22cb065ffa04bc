/** From a plan to a cut in the log. Whatever fails on the way, the history stays. */

import { priceOf } from "../context/cache.ts";
import { tokensOf } from "../context/meter.ts";
import { freshTokens } from "../context/span.ts";
import { composeSummary, lossesOfEdited, type Composed } from "../context/summary/compose.ts";
import { fromTheStart, wholeCovers } from "../context/summary/reach.ts";
import { rowsOf } from "../context/summary/words.ts";
import type { Plan } from "../context/types.ts";
import type { ModelClient } from "../model/client.ts";
import type { Change, Fact, Price, Span, SummaryReport, Trigger } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { costOf } from "../protocol/model.ts";
import type { Clock } from "./clock.ts";
import { Author, type Draft } from "./compaction/author.ts";
import { readFilesInWork } from "./compaction/files.ts";
import { Reviews } from "./compaction/review.ts";
import { transcriptOf } from "./compaction/transcript.ts";
import type { Session } from "./session.ts";

export type CompactorParts = {
  session: Session;
  model(): ModelClient;
  /** Text of a file in the workspace as it is now; null when it cannot be read as text. */
  readFile(path: string): Promise<string | null>;
  /** For the waits between tries; absent: there are none. */
  clock?: Clock;
  /** The person's own hook: may veto (with a reason), or add to the prompt. */
  preCompact?(trigger: Trigger): Promise<{ veto?: string; instructions?: string }>;
  /** Hears the text that now stands in the conversation's place. */
  postCompact?(text: string): Promise<void>;
  /** Folder for a readable copy of the messages that each summary covers, and how to write there. */
  transcripts?: { dir: string; write(path: string, text: string): Promise<void> };
};

export type Occasion = {
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string;
  /** The next request would not fit: neither a person nor a hook is asked whether. */
  forced?: boolean;
};

/** Share of what a summary replaces that it may be at most, all that is kept beside it included. */
const mostShare = 0.7;
/** Less than this, in tokens and not summarised yet, is not worth a summary. */
const leastTokens = 200;

export class Compactor {
  readonly #parts: CompactorParts;
  readonly #author: Author;
  readonly #reviews = new Reviews();

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    const { session, model, clock } = parts;
    this.#author = new Author(session, model, clock);
  }

  /** Makes the cut that the plan proposes. True when the log has it. */
  async *apply(plan: Plan, occasion: Occasion): AsyncGenerator<AgentEvent, boolean> {
    if ("summarise" in plan) return yield* this.#summarise(plan, occasion);
    const { tier, reason, changes, price } = plan;
    yield await this.#cut({ tier, reason, changes, price, trigger: occasion.trigger });
    return true;
  }

  /** A person's word on a summary that waits for it; null: do not compact. */
  review(id: string, text: string | null): void {
    this.#reviews.answer(id, text);
  }

  async *#summarise(
    plan: Plan & { summarise: Span },
    occasion: Occasion,
  ): AsyncGenerator<AgentEvent, boolean> {
    const { session, postCompact } = this.#parts;
    const { trigger, signal, forced } = occasion;
    const notes: string[] = [];
    const hook = yield* this.#askHook(occasion, notes);
    if (hook === null) return false;
    yield { type: "compaction", state: { step: "started", tier: plan.tier } };
    yield { type: "phase", phase: "compacting" };
    let span = wholeCovers(session.view, plan.summarise);
    const { covered, fresh } = this.#sizeOf(span);
    if (!forced && fresh < leastTokens) {
      yield failed(`There is too little to compact: ${fresh} tokens that no summary holds yet.`);
      return false;
    }
    const asks = !forced && this.#wantsReview(occasion);
    const mostChars = Math.floor(covered * mostShare * session.rules.charsPerToken.prose);
    const draft = yield* this.#author.write({
      span,
      mostChars,
      byHand: trigger === "key" || trigger === "command" || trigger === "inspector",
      mayBeSigned: !asks,
      signal,
      ...(occasion.focus ? { focus: occasion.focus } : {}),
      ...(hook.instructions ? { instructions: hook.instructions } : {}),
    });
    if (draft === null) return yield* stopped();
    if (draft.by === "server") span = wholeCovers(session.view, fromTheStart(session.view, span));
    notes.push(...draft.warnings);
    const copy = this.#transcript();
    const composed = await this.#compose(span, draft, mostChars, copy?.path);
    let { text, losses } = composed;
    if (draft.by !== "server" && text.length >= mostChars / mostShare) {
      yield failed("Not compacted: what would have to be kept is larger than what would go.");
      return false;
    }
    if (asks) {
      const id = `summary-${session.log.path.length}`;
      const reviewed = yield* this.#reviews.ask(id, text, signal);
      if (reviewed === null || reviewed.trim() === "") return yield* stopped();
      if (reviewed !== text) losses = lossesOfEdited(session.view, span, reviewed);
      text = reviewed;
    }
    if (signal.aborted) return yield* stopped();
    if (copy) {
      await copy.write().catch((error: unknown) => {
        notes.push(`No readable copy of the transcript was written: ${messageOf(error)}`);
        text = text.replaceAll(copy.path, "(no copy)");
      });
    }
    const report: SummaryReport = {
      by: draft.by,
      ...(occasion.focus ? { focus: occasion.focus } : {}),
      ...(draft.usage ? { usage: draft.usage } : {}),
      messages: composed.messages,
      instructionsPutBack: composed.putBack,
      losses,
    };
    for (const note of notes)
      yield await session.record({ type: "note", kind: "warning", text: note });
    yield* this.#cover(plan, occasion, span, draft, text, report);
    yield { type: "compaction", state: { step: "done" } };
    yield* this.#tell(() => postCompact?.(text), "The postCompact hook failed");
    return true;
  }

  /** Null: the hook said no. A hook that breaks, or stands against the window, changes nothing. */
  async *#askHook(
    { trigger, forced }: Occasion,
    notes: string[],
  ): AsyncGenerator<AgentEvent, { instructions?: string } | null> {
    try {
      const said = (await this.#parts.preCompact?.(trigger)) ?? {};
      if (said.veto === undefined) return said;
      if (!forced) {
        yield failed(`The preCompact hook said no: ${said.veto}`);
        return null;
      }
      notes.push(`The preCompact hook said no (${said.veto}), but the next request would not fit.`);
    } catch (error) {
      notes.push(`The preCompact hook failed: ${messageOf(error)}`);
    }
    return {};
  }

  /** An automatic summary is asked about with `autoCompact: "ask"`, every one with `confirmSummary`. */
  #wantsReview({ trigger }: Occasion): boolean {
    const { confirmSummary, autoCompact } = this.#parts.session.policy;
    return confirmSummary || (autoCompact === "ask" && trigger === "auto");
  }

  /** Written only once nothing can stop the cut any more. */
  #transcript(): { path: string; write(): Promise<void> } | null {
    const { session, transcripts } = this.#parts;
    if (!transcripts) return null;
    const { name, text } = transcriptOf(session.view);
    const path = `${transcripts.dir}/${name}`;
    return { path, write: () => transcripts.write(path, text) };
  }

  async #compose(
    span: Span,
    draft: Draft,
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

  /** Beside the server's block, which nobody else may write into, what is kept comes at the end. */
  async *#cover(
    { reason, tier }: Plan,
    { trigger }: Occasion,
    span: Span,
    draft: Draft,
    text: string,
    summary: SummaryReport,
  ): AsyncGenerator<AgentEvent, void> {
    const { session } = this.#parts;
    const { view, reading, rules, policy } = session;
    const cover: Change =
      draft.by === "server"
        ? { kind: "cover", span, text: draft.text, block: draft.block }
        : { kind: "cover", span, text };
    const price = withCall(
      priceOf(view, reading, [cover], rules, policy),
      draft.usage ? costOf(draft.usage, rules.prices) : 0,
      rules.prices.cacheRead,
    );
    yield await this.#cut({ tier, reason, changes: [cover], price, trigger, summary });
    if (draft.by !== "server") return;
    yield await session.record({
      type: "context",
      kind: "reminder",
      title: "kept from what was summarised",
      content: [{ type: "text", text }],
    });
  }

  async *#tell(
    act: () => Promise<void> | undefined,
    what: string,
  ): AsyncGenerator<AgentEvent, void> {
    try {
      await act();
    } catch (error) {
      const text = `${what}: ${messageOf(error)}`;
      yield await this.#parts.session.record({ type: "note", kind: "warning", text });
    }
  }

  /** What a summary would take away, and how much of it is not a summary itself; in tokens. */
  #sizeOf(span: Span): { covered: number; fresh: number } {
    const { view, rules } = this.#parts.session;
    const tokens = tokensOf(view, rules);
    const covered = rowsOf(view, span).reduce(
      (sum, row) => (row.pinned ? sum : sum + tokens(row)),
      0,
    );
    return { covered, fresh: freshTokens(view, span, tokens) };
  }

  #cut(cut: Omit<Extract<Fact, { type: "cut" }>, "type" | "midLoop">): Promise<AgentEvent> {
    const { session } = this.#parts;
    const midLoop = session.view.midLoop ? { midLoop: true as const } : {};
    return session.record({ type: "cut", ...cut, ...midLoop });
  }
}

/** The price, with what the call cost that wrote the summary. */
function withCall(price: Price, callUsd: number, readPrice: number): Price {
  const usd = price.usd + callUsd;
  const savedPerCall = ((price.usedBefore - price.usedAfter) * readPrice) / 1e6;
  const breakEvenCalls = usd <= 0 ? 0 : savedPerCall > 0 ? Math.ceil(usd / savedPerCall) : null;
  return { ...price, usd, breakEvenCalls };
}

const failed = (message: string): AgentEvent => ({
  type: "compaction",
  state: { step: "failed", message },
});

async function* stopped(): AsyncGenerator<AgentEvent, false> {
  yield failed("Not compacted; nothing was changed.");
  return false;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
