/** One recorded session under one policy: what would have been sent, cut, billed and lost. */

import { measure } from "../../context/meter.ts";
import type { Plan } from "../../context/types.ts";
import { Projection } from "../../context/view.ts";
import type { ToolUseBlock } from "../../protocol/block.ts";
import type { Change, CutFact, EntryId, Fact, Span } from "../../protocol/entry.ts";
import { costOf, type CacheTtl, type ModelRules, type Usage } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { Billing } from "./billing.ts";
import { FileShadow } from "./files.ts";
import { charsOf } from "./prompt-prefix.ts";
import { answerIdOf, entryIdOf, type Dependency } from "./dependencies.ts";
import type { ReplayPolicy, Summary } from "./policy.ts";
import { usualGapMs, type RecordedCall, type Recording } from "./recording.ts";
import { Retention } from "./retention.ts";
import { bill, emptyResult, type ReplayResult } from "./replay-result.ts";

export type Settings = {
  rules: ModelRules;
  /** Tokens of the system prompt and the tools, where the recording does not hold them. */
  overheadTokens: number;
  charsPerToken: number;
  /** Overrides the policy's own choice. */
  ttl: CacheTtl | null;
};

/** A request just before it is sent. */
export type Sent = {
  call: number;
  nowMs: number;
  projection: Projection;
  numbers: Policy;
  /** What a summary is asked for, and how many tokens of its own it sends instead; null: the call itself. */
  summary: { span: Span; ownTokens?: number } | null;
};

export type Watch = (sent: Sent) => void;

/** The prompt that asks for a summary, in tokens. */
const promptTokens = 600;
/** A policy that never comes to an end is stopped after so many cuts before one call. */
const mostCuts = 12;
/** An edit without its text costs a call that reads the file again: its answer, in tokens. */
const rereadAnswerTokens = 80;
const rereadTokens = 2_500;

const filler =
  "The recording does not hold the system prompt and the tools; this stands for them. ";

export function simulate(
  recording: Recording,
  needs: readonly Dependency[],
  policy: ReplayPolicy,
  settings: Settings,
  watch?: Watch,
): ReplayResult {
  return new Run(recording, policy, settings, watch).all(needs);
}

class Run {
  readonly #projection = new Projection();
  readonly #recording: Recording;
  readonly #policy: ReplayPolicy;
  readonly #settings: Settings;
  readonly #watch: Watch | undefined;
  readonly #biller: Billing;
  readonly #files = new FileShadow();
  readonly #uses = new Map<string, ToolUseBlock>();
  readonly #retention: Retention;
  readonly #outcome: ReplayResult;
  readonly #numbers: Policy;
  #nowMs = Date.UTC(2026, 0, 1);
  #cuts = 0;
  #head: EntryId | null = null;
  /** Tokens of files that were read again, carried from then on. */
  #carried = 0;

  constructor(
    recording: Recording,
    policy: ReplayPolicy,
    settings: Settings,
    watch: Watch | undefined,
  ) {
    const { counted } = recording;
    const { rules } = settings;
    const charsPerToken = counted?.charsPerToken ?? settings.charsPerToken;
    this.#recording = recording;
    this.#policy = policy;
    this.#settings = settings;
    this.#watch = watch;
    const { system, tools } = recording;
    const known = system === null ? null : system.length + JSON.stringify(tools).length;
    const headTokens =
      counted?.headTokens ?? (known === null ? settings.overheadTokens : known / charsPerToken);
    const ttl = settings.ttl ?? policy.numbers.cacheTtl;
    this.#numbers = { ...policy.numbers, cacheTtl: ttl };
    this.#biller = new Billing(
      headTokens,
      charsPerToken,
      rules,
      this.#numbers,
      policy.marks,
      counted?.tokens,
    );
    this.#retention = new Retention(this.#projection.view);
    this.#outcome = emptyResult(recording.name, policy.name);
    const words = Math.ceil((settings.overheadTokens * charsPerToken) / filler.length);
    this.#push("e0", {
      type: "session",
      version: 1,
      session: recording.name,
      cwd: recording.cwd,
      model: rules.model,
      system: system ?? filler.repeat(Math.max(1, words)),
      tools,
    });
  }

  all(needs: readonly Dependency[]): ReplayResult {
    for (const [index, call] of this.#recording.calls.entries()) {
      this.#begin(index, call);
      this.#cut(index, call);
      this.#send(index, call, needs[index]);
    }
    return this.#outcome;
  }

  #push(id: EntryId, fact: Fact): void {
    const at = new Date(this.#nowMs).toISOString();
    this.#projection.push({ id, parent: this.#head, at, ...fact });
    this.#head = id;
  }

  #begin(index: number, call: RecordedCall): void {
    if (index > 0) {
      this.#nowMs += call.gapMs ?? usualGapMs;
    }
    for (const [at, fact] of call.before.entries()) {
      const id = entryIdOf(index, at);
      if (fact.type !== "result") {
        this.#push(id, fact);
        continue;
      }
      const shown = this.#policy.arrive(fact, `~/.mini-claude/tool-results/${id}.txt`);
      if (shown !== fact) this.#retention.bound(id);
      this.#push(id, shown);
      this.#files.follow(fact, this.#uses.get(fact.toolUse));
    }
  }

  #cut(index: number, call: RecordedCall): void {
    const moment = call.turnStart ? "turnStart" : "beforeCall";
    const { view } = this.#projection;
    const { rules } = this.#settings;
    for (let count = 0; count < mostCuts; count++) {
      const reading = measure(view, rules, this.#numbers, this.#nowMs);
      const plan = this.#policy.plan(moment, view, reading, rules);
      if (!plan) return;
      const cut = this.#cutOf(index, plan);
      this.#cuts++;
      this.#push(`c${this.#cuts}`, cut);
      this.#retention.cut(cut);
      // What was read again goes with the next cut.
      this.#carried = 0;
      this.#outcome.events.push({
        call: index,
        tier: plan.tier,
        reason: plan.reason,
        moment,
        usedBefore: plan.price.usedBefore,
        usedAfter: plan.price.usedAfter,
        usd: plan.price.usd,
        cache: reading.cache.state,
      });
    }
  }

  #cutOf(index: number, plan: Plan): CutFact {
    const { tier, reason, price } = plan;
    const midLoop = this.#projection.view.midLoop ? { midLoop: true as const } : {};
    const base = {
      type: "cut" as const,
      tier,
      trigger: "auto" as const,
      reason,
      price,
      ...midLoop,
    };
    if (!("summarise" in plan)) return { ...base, changes: plan.changes };
    const { view } = this.#projection;
    const summary = this.#policy.summarise(view, plan.summarise, this.#files, this.#settings.rules);
    const usage = this.#summaryCall(index, plan.summarise, summary);
    this.#outcome.summaries++;
    this.#retention.restore(summary.files);
    const changes: Change[] = [{ kind: "cover", span: plan.summarise, text: summary.text }];
    return {
      ...base,
      changes,
      summary: {
        by: "model",
        usage,
        messages: 0,
        instructionsPutBack: [],
        losses: [],
      },
    };
  }

  #summaryCall(index: number, span: Span, summary: Summary): Usage {
    const { ownTokens } = summary;
    this.#watch?.({
      ...this.#sent(index),
      summary: { span, ...(ownTokens === undefined ? {} : { ownTokens }) },
    });
    const { rules } = this.#settings;
    const { view } = this.#projection;
    let usage: Usage;
    if (ownTokens === undefined) {
      const messages = view.messagesTo(view.indexOf(span.to) ?? view.rows.length - 1);
      usage = this.#biller.bill(view, messages, this.#nowMs, summary.outputTokens);
      usage.input += promptTokens;
    } else {
      usage = {
        input: ownTokens,
        cacheRead: 0,
        cacheWrite: 0,
        output: summary.outputTokens,
      };
    }
    bill(this.#outcome, usage, rules.prices);
    this.#outcome.summaryUsd += costOf(usage, rules.prices);
    return usage;
  }

  #sent(call: number): Sent {
    return {
      call,
      nowMs: this.#nowMs,
      projection: this.#projection,
      numbers: this.#numbers,
      summary: null,
    };
  }

  #send(index: number, call: RecordedCall, need: Dependency | undefined): void {
    const { rules, charsPerToken } = this.#settings;
    this.#watch?.(this.#sent(index));
    const chars = call.answer.reduce((sum, block) => sum + charsOf(block), 0);
    const output = call.outputTokens ?? chars / charsPerToken;
    const { view } = this.#projection;
    const usage = this.#biller.bill(view, view.messages, this.#nowMs, output);
    bill(this.#outcome, usage, rules.prices);
    const used = this.#biller.usedTokens;
    this.#outcome.usd += (this.#carried * rules.prices.cacheRead) / 1e6;
    this.#outcome.calls++;
    this.#outcome.used.push(Math.round(used));
    if (used > rules.windowTokens) this.#outcome.unfit++;
    if (need) this.#retain(need, used);
    this.#answer(index, call, usage);
  }

  #retain(need: Dependency, used: number): void {
    const lost = this.#retention.check(need, this.#outcome.kept);
    const { prices } = this.#settings.rules;
    for (let again = 0; again < lost; again++) {
      const micro =
        used * prices.cacheRead +
        rereadTokens * prices.cacheWrite5m +
        rereadAnswerTokens * prices.output;
      this.#outcome.usd += micro / 1e6;
      this.#outcome.rereadUsd += micro / 1e6;
      this.#carried += rereadTokens;
    }
  }

  #answer(index: number, call: RecordedCall, usage: Usage): void {
    for (const block of call.answer) if (block.type === "tool_use") this.#uses.set(block.id, block);
    this.#push(answerIdOf(index), {
      type: "assistant",
      content: call.answer,
      model: this.#settings.rules.model,
      usage,
      stop: call.answer.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      sentAt: new Date(this.#nowMs).toISOString(),
    });
  }
}
