/** One recorded session under one policy: what would have been sent, cut, billed and lost. */

import { nextRefresh } from "../../context/keep-alive.ts";
import { measure } from "../../context/meter.ts";
import type { Plan } from "../../context/types.ts";
import { Projection } from "../../context/view.ts";
import type { ToolUseBlock } from "../../protocol/block.ts";
import type { Change, CutFact, EntryId, Fact, Span } from "../../protocol/entry.ts";
import { costOf, type CharsPerToken, type Usage } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { Billing } from "./billing.ts";
import { FileShadow } from "./file-shadow.ts";
import { charsOf } from "./prompt-prefix.ts";
import { answerIdOf, entryIdOf, type Dependency } from "./dependencies.ts";
import type { ReplayPolicy, Settings, Summary, Watch, Sent } from "./policy.ts";
import { usualGapMs, type RecordedCall, type Recording } from "./recording.ts";
import { Retention, type Reread } from "./retention.ts";
import { bill, emptyResult, type ReplayResult } from "./replay-result.ts";

/** The prompt that asks for a summary, in tokens. */
const promptTokens = 600;
/** Cuts before one call, as a guard against a policy that never ends. */
const maxCuts = 12;
/** Reading something again costs a call: its answer, in tokens. */
const rereadAnswerTokens = 80;
/** A read or recall returns at most this many tokens. */
const maxRereadTokens = 25_000;

const sameForAll = (ratio: number): CharsPerToken => ({ prose: ratio, code: ratio, result: ratio });

const filler = "The recording does not hold the system prompt and the tools; this replaces them. ";

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
  readonly #billing: Billing;
  readonly #files = new FileShadow();
  readonly #calls = new Map<string, ToolUseBlock>();
  readonly #retention: Retention;
  readonly #result: ReplayResult;
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
    const charsPerToken = counted ? sameForAll(counted.charsPerToken) : rules.charsPerToken;
    this.#recording = recording;
    this.#policy = policy;
    this.#settings = settings;
    this.#watch = watch;
    const { system, tools } = recording;
    const known = system === null ? null : system.length + JSON.stringify(tools).length;
    const headTokens =
      counted?.headTokens ??
      (known === null ? settings.overheadTokens : known / charsPerToken.prose);
    const ttl = settings.ttl ?? policy.numbers.cacheTtl;
    this.#numbers = { ...policy.numbers, cacheTtl: ttl };
    this.#billing = new Billing(
      headTokens,
      charsPerToken,
      rules,
      this.#numbers,
      policy.marks,
      counted?.tokens,
    );
    this.#retention = new Retention(this.#projection.view);
    this.#result = emptyResult(recording.name, policy.name);
    const words = Math.ceil((settings.overheadTokens * charsPerToken.prose) / filler.length);
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
    return this.#result;
  }

  #push(id: EntryId, fact: Fact): void {
    const at = new Date(this.#nowMs).toISOString();
    // A fact from one of our logs has the id of its entry there.
    this.#projection.push({ ...fact, id, parent: this.#head, at });
    this.#head = id;
  }

  #begin(index: number, call: RecordedCall): void {
    if (index > 0) this.#wait(index, call);
    for (const [at, fact] of call.before.entries()) {
      const id = entryIdOf(index, at);
      if (fact.type !== "result") {
        this.#push(id, fact);
        continue;
      }
      const shown = this.#policy.arrive(fact, `~/.mini-claude/tool-results/${id}.txt`);
      if (shown !== fact) this.#retention.preview(id);
      this.#push(id, shown);
      this.#files.follow(fact, this.#calls.get(fact.toolUse));
    }
  }

  /** Until the call; while tools run, the cache is kept alive as in a live session. */
  #wait(index: number, { gapMs, turnStart }: RecordedCall): void {
    const { rules } = this.#settings;
    const sinceMs = this.#nowMs;
    const untilMs = sinceMs + (gapMs ?? usualGapMs);
    for (let count = 0; !turnStart; count++) {
      const { view } = this.#projection;
      const next = nextRefresh(view, rules, this.#numbers, this.#nowMs, sinceMs);
      if (!next || next.dueMs >= untilMs) break;
      this.#nowMs = next.dueMs;
      this.#watch?.({ ...this.#sent(index), refresh: true });
      const usage = this.#billing.refresh(this.#nowMs);
      bill(this.#result, usage, rules.prices);
      const sentAt = new Date(this.#nowMs).toISOString();
      this.#push(`r${index}.${count}`, { type: "refresh", sentAt, usage });
    }
    this.#nowMs = untilMs;
  }

  #cut(index: number, call: RecordedCall): void {
    const moment = call.turnStart ? "turnStart" : "beforeCall";
    const { view } = this.#projection;
    const { rules } = this.#settings;
    for (let count = 0; count < maxCuts; count++) {
      const reading = measure(view, rules, this.#numbers, this.#nowMs);
      const plan = this.#policy.plan({ moment, view, reading, rules });
      if (!plan) return;
      const cut = this.#cutOf(index, plan);
      this.#cuts++;
      this.#push(`c${this.#cuts}`, cut);
      this.#retention.cut(cut);
      // What was read again is removed with the next cut.
      this.#carried = 0;
      this.#result.events.push({
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
    if (!("summarize" in plan)) return { ...base, changes: plan.changes };
    const { view } = this.#projection;
    const summary = this.#policy.summarize(view, plan.summarize, this.#settings.rules, this.#files);
    const { text, byServer } = summary;
    const usage = this.#summaryCall(index, byServer?.span ?? plan.summarize, summary);
    this.#result.summaries++;
    this.#retention.showFiles(summary.files);
    const change: Change = byServer
      ? { kind: "cover", ...byServer, text: byServer.block.content ?? "", kept: text }
      : { kind: "cover", span: plan.summarize, text };
    return {
      ...base,
      changes: [change],
      summary: {
        by: byServer ? "server" : "model",
        usage,
        messages: 0,
        instructionsPutBack: [],
        losses: [],
      },
    };
  }

  #summaryCall(index: number, span: Span, summary: Summary): Usage {
    const { ownTokens, byServer } = summary;
    const own = ownTokens === undefined ? {} : { ownTokens };
    const request = { span, byServer: byServer !== undefined, ...own };
    this.#watch?.({ ...this.#sent(index), summary: request });
    const { rules } = this.#settings;
    const { view } = this.#projection;
    let usage: Usage;
    if (ownTokens === undefined) {
      const messages = view.messagesTo(view.indexOf(span.to) ?? view.rows.length - 1);
      usage = this.#billing.bill(view, messages, this.#nowMs, summary.outputTokens);
      usage.input += promptTokens;
    } else {
      usage = {
        input: ownTokens,
        cacheRead: 0,
        cacheWrite: 0,
        output: summary.outputTokens,
      };
    }
    bill(this.#result, usage, rules.prices);
    this.#result.summaryUsd += costOf(usage, rules.prices);
    return usage;
  }

  #sent(call: number): Sent {
    return {
      call,
      nowMs: this.#nowMs,
      projection: this.#projection,
      numbers: this.#numbers,
      summary: null,
      refresh: false,
    };
  }

  #send(index: number, call: RecordedCall, need: Dependency | undefined): void {
    const { rules } = this.#settings;
    this.#watch?.(this.#sent(index));
    const chars = call.answer.reduce((sum, block) => sum + charsOf(block), 0);
    const output = call.outputTokens ?? chars / rules.charsPerToken.code;
    const { view } = this.#projection;
    const usage = this.#billing.bill(view, view.messages, this.#nowMs, output);
    bill(this.#result, usage, rules.prices);
    const used = this.#billing.usedTokens;
    this.#result.usd += (this.#carried * rules.prices.cacheRead) / 1e6;
    this.#result.calls++;
    this.#result.used.push(Math.round(used));
    if (used > rules.windowTokens) this.#result.unfit++;
    if (need) this.#retain(need, used);
    this.#answer(index, call, usage);
  }

  /** Charges for what the call has to read again: a call of its own, and its result from then on. */
  #retain(need: Dependency, used: number): void {
    const { prices } = this.#settings.rules;
    for (const reread of this.#retention.check(need, this.#result.kept)) {
      const tokens = this.#sizeOf(reread);
      const micro =
        used * prices.cacheRead + tokens * prices.cacheWrite5m + rereadAnswerTokens * prices.output;
      this.#result.usd += micro / 1e6;
      this.#result.rereadUsd += micro / 1e6;
      this.#result.rereads++;
      this.#carried += tokens;
    }
  }

  #sizeOf({ path, source }: Reread): number {
    const file = path === null ? null : this.#files.textOf(path);
    const row = this.#projection.view.rows[this.#projection.view.indexOf(source) ?? -1];
    const chars = file?.length ?? row?.wholeChars ?? 0;
    return Math.min(maxRereadTokens, chars / this.#settings.rules.charsPerToken.result);
  }

  #answer(index: number, call: RecordedCall, usage: Usage): void {
    for (const block of call.answer)
      if (block.type === "tool_use") this.#calls.set(block.id, block);
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
