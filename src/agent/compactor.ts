/** From a plan to a cut in the log. Whatever fails on the way, the history stays. */

import { priceOf } from "../context/cache.ts";
import { composeSummary, type Composed, type FileNow } from "../context/summary/compose.ts";
import { extractSummary } from "../context/summary/extract.ts";
import { outline } from "../context/summary/outline.ts";
import { filesIn } from "../context/summary/work.ts";
import { rowsOf } from "../context/summary/words.ts";
import type { Plan } from "../context/types.ts";
import type { ModelClient } from "../model/client.ts";
import type { Change, Span, SummaryReport, Trigger } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { Breaker } from "./breaker.ts";
import summaryPrompt from "./prompts/summary.md" with { type: "text" };
import type { Session } from "./session.ts";
import { writeSummary } from "./summarise.ts";

export type CompactorParts = {
  session: Session;
  model(): ModelClient;
  /** Text of a file in the workspace as it is now; null when it cannot be read as text. */
  readFile(path: string): Promise<string | null>;
  /** The person's own hook: may veto (with a reason), or add to the prompt. */
  preCompact?(trigger: Trigger): Promise<{ veto?: string; instructions?: string }>;
  postCompact?(text: string): Promise<void>;
  /** Writes a readable copy of what is about to be covered. */
  saveTranscript?(): Promise<void>;
};

export type Occasion = { trigger: Trigger; signal: AbortSignal; focus?: string };

export class Compactor {
  readonly #parts: CompactorParts;
  readonly #breaker: Breaker;
  readonly #reviews = new Map<string, (text: string | null) => void>();

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.#breaker = new Breaker(parts.session.policy.summary.failuresToBreaker);
  }

  async *apply(plan: Plan, occasion: Occasion): AsyncGenerator<AgentEvent, void> {
    if ("summarise" in plan) return yield* this.#summarise(plan, plan.summarise, occasion);
    const { tier, reason, changes, price } = plan;
    yield await this.#cut({ tier, reason, changes, price, trigger: occasion.trigger });
  }

  review(id: string, text: string | null): void {
    this.#reviews.get(id)?.(text);
    this.#reviews.delete(id);
  }

  async *#summarise(plan: Plan, span: Span, occasion: Occasion): AsyncGenerator<AgentEvent, void> {
    const { session, preCompact, postCompact, saveTranscript } = this.#parts;
    const { trigger, signal } = occasion;
    const hook = (await preCompact?.(trigger)) ?? {};
    if (hook.veto !== undefined) return yield stopped(`The preCompact hook said no: ${hook.veto}`);
    yield { type: "compaction", state: { step: "started", tier: "summary" } };
    yield { type: "phase", phase: "compacting" };
    const prompt = [summaryPrompt, focusOn(occasion.focus), hook.instructions ?? ""]
      .join("\n")
      .trim();
    const written = yield* this.#write(span, prompt, occasion);
    if (signal.aborted || written === null) return yield stopped("Stopped; nothing was changed.");
    const files = await this.#filesInWork(span);
    const composed = this.#composeSmaller(span, written.text, files);
    let { text } = composed;
    if (session.policy.confirmSummary && trigger !== "too-long") {
      const reviewed = yield* this.#ask(text, signal);
      if (reviewed === null) return yield stopped("Not compacted; nothing was changed.");
      text = reviewed;
    }
    await saveTranscript?.();
    const changes: Change[] = [{ kind: "cover", span, text }];
    const { view, reading, rules, policy } = session;
    const report: SummaryReport = {
      by: written.by,
      ...(occasion.focus ? { focus: occasion.focus } : {}),
      ...(written.usage ? { usage: written.usage } : {}),
      messages: composed.messages,
      instructionsPutBack: composed.putBack,
      losses: composed.losses,
    };
    const price = priceOf(view, reading, changes, rules, policy);
    yield await this.#cut({
      tier: "summary",
      reason: plan.reason,
      changes,
      price,
      trigger,
      summary: report,
    });
    yield { type: "compaction", state: { step: "done" } };
    await postCompact?.(text);
  }

  /** The model's summary; the extract when the model fails, so that compaction always succeeds. */
  async *#write(
    span: Span,
    prompt: string,
    { trigger, signal }: Occasion,
  ): AsyncGenerator<AgentEvent, (Pick<SummaryReport, "by" | "usage"> & { text: string }) | null> {
    const { session, model } = this.#parts;
    if (trigger === "key" || trigger === "command") this.#breaker.close();
    if (!this.#breaker.isOpen(session.view)) {
      const written = yield* writeSummary(session, model(), span, prompt, signal);
      if ("stopped" in written) return null;
      if ("text" in written) {
        this.#breaker.close();
        return { by: "model", ...written };
      }
      const opened = this.#breaker.failed(session.view);
      const more = opened
        ? " This was the last of several failures in a row: the model is not asked again for now."
        : "";
      yield await session.record({
        type: "note",
        kind: "warning",
        text: `The model could not write the summary (${written.failed}); it is made without a model.${more}`,
      });
    }
    return { by: "extract", text: extractSummary(rowsOf(session.view, span)) };
  }

  /** A summary must be smaller than what it replaces: files go first, then most of the user's words. */
  #composeSmaller(span: Span, summary: string, files: readonly FileNow[]): Composed {
    const { session } = this.#parts;
    const { view, rules, policy, log } = session;
    const compose = (with_: readonly FileNow[], userTokens: number): Composed =>
      composeSummary({
        view,
        span,
        summary,
        files: with_,
        logFile: log.file,
        rules,
        policy: { ...policy, summary: { ...policy.summary, userTokens } },
      });
    const covered = rowsOf(view, span).reduce((sum, row) => sum + row.chars, 0);
    const { userTokens } = policy.summary;
    let composed = compose(files, userTokens);
    for (const [count, tokens] of [
      [1, userTokens],
      [0, userTokens / 4],
      [0, 500],
    ] as const) {
      if (composed.text.length < covered * 0.7) return composed;
      composed = compose(files.slice(0, count), tokens);
    }
    return composed;
  }

  async #filesInWork(span: Span): Promise<FileNow[]> {
    const { session, readFile } = this.#parts;
    const { policy, view, rules } = session;
    const perChar = rules.charsPerToken.code;
    const files: FileNow[] = [];
    // On a small window the files must not fill what the summary has just freed.
    let left = Math.min(policy.summary.filesTokens, session.reading.effectiveTokens / 8) * perChar;
    for (const { path } of filesIn(rowsOf(view, span))) {
      if (files.length >= policy.summary.files) break;
      const whole = await readFile(path);
      if (whole === null) continue;
      const large = whole.length > policy.summary.fileTokens * perChar;
      const text = large ? outline(whole) : whole;
      if (text === "" || text.length > left) continue;
      left -= text.length;
      files.push({ path, text, lines: whole.split("\n").length, outline: large });
    }
    return files;
  }

  async *#ask(text: string, signal: AbortSignal): AsyncGenerator<AgentEvent, string | null> {
    const id = `summary-${this.#parts.session.log.path.length}`;
    yield { type: "compaction", state: { step: "review", id, text } };
    return new Promise((resolve) => {
      this.#reviews.set(id, resolve);
      signal.addEventListener("abort", () => this.review(id, null), { once: true });
    });
  }

  #cut(cut: {
    tier: Plan["tier"];
    reason: string;
    changes: Change[];
    price: Plan["price"];
    trigger: Trigger;
    summary?: SummaryReport;
  }): Promise<AgentEvent> {
    const { session } = this.#parts;
    return session.record({
      type: "cut",
      ...cut,
      ...(session.view.midLoop ? { midLoop: true } : {}),
    });
  }
}

const focusOn = (focus: string | undefined): string =>
  focus ? `\nKeep above all what has to do with this: ${focus}\n` : "";

const stopped = (message: string): AgentEvent => ({
  type: "compaction",
  state: { step: "failed", message },
});
