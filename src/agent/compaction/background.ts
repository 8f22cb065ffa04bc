/**
 * Writes the next summary in the background, while the user types or reads or the agent works.
 * The request has the same system prompt, tools and messages as the next call, so it reads the cache. The text
 * waits in the log as an attempt, which holds its cost. The attempt is appended while the agent waits for the user
 * or for tools, or at the next boundary, never between a request and its answer.
 */

import { forecast } from "../../context/forecast.ts";
import { nextPlan } from "../../context/ladder.ts";
import { measure } from "../../context/meter/meter.ts";
import { summaryLimits } from "../../context/summary/compose.ts";
import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import type { AttemptFact, Span } from "../../protocol/entry.ts";
import type { AgentEvent, Events } from "../../protocol/event.ts";
import { spentOn, type ModelRules } from "../../protocol/model.ts";
import type { Session } from "../session.ts";
import { attemptFact, writeDraft, type Summarizer } from "./summarizer.ts";

type BackgroundOptions = Summarizer & { hooks: Pick<HookRegistry, "has"> };

/** The summary is written once the context is this close to the due size, as a share of the window. */
const nearShare = 0.05;

/** Where the next summary is due: at the next message, or in the open tool loop. */
type Ahead = "message" | "loop";

export class BackgroundSummary {
  readonly #options: BackgroundOptions;
  #job: { stop: AbortController; done: Promise<void> } | null = null;
  /** The screen shows that a summary is being written. */
  #isShown = false;
  /** Facts to append once that is safe. */
  #written: { attempt: AttemptFact; writer: ModelRules }[] = [];
  /** Context size at the start of the latest attempt; after a failure, the next attempt needs a larger one. */
  #triedAt = 0;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#job !== null;
  }

  /** Starts the next summary if one is near, none is ready, and the cache is hot. */
  begin(ahead: Ahead): AgentEvent[] {
    const { session } = this.#options;
    const { usedTokens, effectiveTokens } = session.reading;
    const grown = Math.abs(usedTokens - this.#triedAt);
    if (this.#job || this.#isShown) return [];
    // A PreCompact hook may veto the cut or change its prompt after the summary was paid for.
    if (this.#options.hooks.has("PreCompact")) return [];
    const span = grown < nearShare * effectiveTokens ? null : spanAhead(session, ahead);
    if (!span) return [];
    this.#triedAt = usedTokens;
    const stop = new AbortController();
    const done = this.#write(span, stop.signal).finally(() => (this.#job = null));
    this.#job = { stop, done };
    this.#isShown = true;
    return [{ type: "compaction", state: { step: "preparing" } }];
  }

  /** Resolves when nothing is being written any more, or when the signal fires. */
  async finished(signal: AbortSignal): Promise<void> {
    if (!this.#job || signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const give = (): void => aborted.resolve();
    signal.addEventListener("abort", give);
    await Promise.race([this.#job.done, aborted.promise]);
    signal.removeEventListener("abort", give);
  }

  /** Records the attempts that have ended. */
  async *record(): Events {
    if (this.#job || !this.#isShown) return;
    this.#isShown = false;
    const { session } = this.#options;
    for (let next = this.#written.shift(); next; next = this.#written.shift())
      yield await session.record(billTo(next.writer, session, next.attempt));
    yield { type: "compaction", state: { step: "prepared" } };
  }

  /** Aborts the summary in progress and records its cost. */
  async *stop(): Events {
    this.#job?.stop.abort();
    await this.#job?.done;
    yield* this.record();
  }

  async #write(wanted: Span, signal: AbortSignal): Promise<void> {
    const { session } = this.#options;
    const trigger = "auto";
    const { rules: writer } = session;
    const keep = (attempt: AttemptFact): void => void this.#written.push({ writer, attempt });
    const note = (attempt: Omit<AttemptFact, "type" | "usedTokens">): void =>
      keep(attemptFact(session, attempt));
    try {
      const { view, rules, policy } = session;
      const { maxChars } = summaryLimits(view, wanted, rules, policy);
      const request = { span: wanted, maxChars, trigger, signal } as const;
      const writing = writeDraft(this.#options, request, keep);
      let step = await writing.next();
      while (!step.done) step = await writing.next();
      const draft = step.value;
      if ("stopped" in draft) {
        const reason = "Stopped before it was ready.";
        if (draft.cost.usage ?? draft.cost.spent)
          note({ outcome: "stopped", by: null, trigger, reason, ...draft.cost });
      } else if (draft.by !== "extract") {
        const { by, span, text, cost } = draft;
        const made = by === "server" ? { span, text, block: draft.block } : { span, text };
        const reason = "Ready for the next cut.";
        note({ outcome: "ready", by, trigger, reason, ...cost, draft: made });
      }
    } catch (error) {
      if (signal.aborted) return;
      note({ outcome: "failed", by: "model", trigger, reason: String(error) });
    }
  }
}

/** Bills the attempt at its writer's prices if the session has switched to another model. */
function billTo(writer: ModelRules, { rules }: Session, attempt: AttemptFact): AttemptFact {
  const { usage, ...rest } = attempt;
  if (!usage || rules.model === writer.model) return attempt;
  return { ...rest, spent: spentOn(usage, writer) };
}

/**
 * The span of the next summary, by the planner's forecast; null: none is near, it is ready, or
 * writing it early could cost more or delay the next prompt, as on a local server.
 */
function spanAhead(session: Session, ahead: Ahead): Span | null {
  const { signals, nowMs } = session;
  const { view, reading, policy, rules } = signals;
  const { cache, usedTokens, effectiveTokens } = reading;
  const isAutomatic = policy.autoCompact === "on" && policy.compaction === "on";
  const isHot = cache.state === "hot" && cache.tokens > 0;
  if (!isAutomatic || !isHot || rules.summarizes === false || rules.prices.input === 0) return null;
  const near = nearShare * effectiveTokens;
  if (ahead === "message") {
    const { bySize } = forecast(view, rules, policy, nowMs);
    const isNear = bySize !== null && bySize.atTokens <= usedTokens + near;
    return isNear && bySize.summary && !bySize.summary.isReady ? bySize.summary.span : null;
  }
  const later = measure(view, rules, policy, nowMs, near);
  const plan = nextPlan("beforeCall", { ...signals, reading: later });
  return plan && "summarize" in plan && plan.draft === undefined ? plan.summarize : null;
}
