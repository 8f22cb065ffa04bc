/** One recorded session under one policy: what would have been sent, cut, billed and lost. */

import { maxKeepAliveMs, nextRefresh } from "../../src/agent/keep-alive.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { findRow, spanRange } from "../../src/context/view/rows.ts";
import type { Plan } from "../../src/context/types.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Change, CutFact, EntryId, Fact, Span } from "../../src/protocol/entry.ts";
import { callCost, noUsage, type CharsPerToken, type Usage } from "../../src/protocol/model.ts";
import { openBilling } from "./billing.ts";
import { FileShadow } from "./file-shadow.ts";
import { countChars, PrefixBuilder } from "./prompt-prefix.ts";
import { toAnswerId, toEntryId, type Dependency } from "./dependencies.ts";
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
  const { counted, system, tools } = recording;
  const { rules, overheadTokens } = settings;
  const { prices } = rules;
  const charsPerToken = counted ? sameForAll(counted.charsPerToken) : rules.charsPerToken;
  const numbers = { ...policy.numbers, cacheTtl: settings.ttl ?? policy.numbers.cacheTtl };
  const known = system === null ? null : system.length + JSON.stringify(tools).length;
  const headTokens =
    counted?.headTokens ?? (known === null ? overheadTokens : known / charsPerToken.prose);
  const prefix = new PrefixBuilder(headTokens, charsPerToken, counted?.tokens);
  const billing = openBilling(prefix, rules, numbers, policy.marks);
  const projection = new Projection();
  const { view } = projection;
  const files = new FileShadow();
  const calls = new Map<string, ToolUseBlock>();
  const retention = new Retention(view);
  const result = emptyResult(recording.name);
  let nowMs = Date.UTC(2026, 0, 1);
  let cuts = 0;
  let head: EntryId | null = null;
  /** Tokens of files that were read again, carried from then on. */
  let carried = 0;

  const words = Math.ceil((overheadTokens * charsPerToken.prose) / filler.length);
  push("e0", {
    type: "session",
    version: 1,
    session: recording.name,
    cwd: recording.cwd,
    model: rules.model,
    system: system ?? filler.repeat(Math.max(1, words)),
    tools,
  });
  for (const [index, call] of recording.calls.entries()) {
    begin(index, call);
    cutBefore(index, call);
    send(index, call, needs[index]);
  }
  return result;

  function push(id: EntryId, fact: Fact): void {
    const at = new Date(nowMs).toISOString();
    // A fact from one of our logs has the id of its entry there.
    const entry = { ...fact, id, parent: head, at };
    projection.push(entry);
    retention.heard(entry);
    head = id;
  }

  function begin(index: number, call: RecordedCall): void {
    if (index > 0) wait(index, call);
    for (const [at, fact] of call.before.entries()) {
      const id = toEntryId(index, at);
      if (fact.type !== "result") {
        push(id, fact);
        continue;
      }
      const shown = policy.arrive(fact, `~/.mini-claude/tool-results/${id}.txt`);
      if (shown !== fact) retention.previews.add(id);
      push(id, shown);
      files.follow(fact, calls.get(fact.toolUse));
    }
  }

  /** Until the call; while tools run, the cache is kept alive as in a live session. */
  function wait(index: number, { gapMs, turnStart }: RecordedCall): void {
    const untilMs = nowMs + (gapMs ?? usualGapMs);
    const lastMs = nowMs + (policy.marks === "ours" ? maxKeepAliveMs : 0);
    for (let count = 0; !turnStart; count++) {
      const next = nextRefresh(measure(view, rules, numbers, nowMs).cache, lastMs);
      if (!next || next.dueMs >= untilMs) break;
      nowMs = next.dueMs;
      watch?.({ ...sent(index), refresh: true });
      const usage = billing.refresh(nowMs);
      bill(result, usage, prices);
      const sentAt = new Date(nowMs).toISOString();
      push(`r${index}.${count}`, { type: "refresh", sentAt, usage });
    }
    nowMs = untilMs;
  }

  function cutBefore(index: number, call: RecordedCall): void {
    const moment = call.turnStart ? "turnStart" : "beforeCall";
    for (let count = 0; count < maxCuts; count++) {
      const reading = measure(view, rules, numbers, nowMs);
      const plan = policy.plan({ moment, view, reading, rules });
      if (!plan) return;
      const cut = makeCut(index, plan);
      cuts++;
      push(`c${cuts}`, cut);
      retention.cut(cut);
      // What was read again is removed with the next cut.
      carried = 0;
      result.events.push({
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

  function makeCut(index: number, plan: Plan): CutFact {
    const { tier, reason, price } = plan;
    const midLoop = view.midLoop ? { midLoop: true as const } : {};
    const base = { type: "cut", tier, trigger: "auto", reason, price, ...midLoop } as const;
    if (!("summarize" in plan)) return { ...base, changes: plan.changes };
    const summary = policy.summarize(view, plan.summarize, rules, files);
    const { text, byServer } = summary;
    const usage = summaryCall(index, byServer?.span ?? plan.summarize, summary);
    result.summaries++;
    retention.shownFiles = new Set(summary.files);
    const change: Change = byServer
      ? { kind: "cover", ...byServer, text: byServer.block.content ?? "", kept: text }
      : { kind: "cover", span: plan.summarize, text };
    const by = byServer ? ("server" as const) : ("model" as const);
    const report = { by, usage, messages: 0, instructionsPutBack: [], losses: [] };
    return { ...base, changes: [change], summary: report };
  }

  function summaryCall(index: number, span: Span, summary: Summary): Usage {
    const { ownTokens, byServer } = summary;
    const own = ownTokens === undefined ? {} : { ownTokens };
    const request = { span, byServer: byServer !== undefined, ...own };
    watch?.({ ...sent(index), summary: request });
    let usage: Usage;
    if (ownTokens === undefined) {
      const messages = view.messagesTo(spanRange(view, span).to);
      usage = billing.bill(view, messages, nowMs, summary.outputTokens);
      usage.input += promptTokens;
    } else {
      usage = { ...noUsage, input: ownTokens, output: summary.outputTokens };
    }
    bill(result, usage, prices);
    result.summaryUsd += callCost(usage, prices);
    return usage;
  }

  function sent(call: number): Sent {
    return { call, nowMs, projection, numbers, summary: null, refresh: false };
  }

  function send(index: number, call: RecordedCall, need: Dependency | undefined): void {
    watch?.(sent(index));
    const chars = call.answer.reduce((sum, block) => sum + countChars(block), 0);
    const output = call.outputTokens ?? chars / rules.charsPerToken.code;
    const usage = billing.bill(view, view.messages, nowMs, output);
    bill(result, usage, prices);
    const used = prefix.totalTokens;
    result.usd += (carried * prices.cacheRead) / 1e6;
    result.calls++;
    result.used.push(Math.round(used));
    if (used > rules.windowTokens) result.unfit++;
    if (need) retain(need, used);
    answer(index, call, usage);
  }

  /** Charges for what the call has to read again: a call of its own, and its result from then on. */
  function retain(need: Dependency, used: number): void {
    for (const reread of retention.check(need, result.kept)) {
      const tokens = measureReread(reread);
      const micro =
        used * prices.cacheRead + tokens * prices.cacheWrite5m + rereadAnswerTokens * prices.output;
      result.usd += micro / 1e6;
      result.rereadUsd += micro / 1e6;
      result.rereads++;
      carried += tokens;
    }
  }

  function measureReread({ path, source }: Reread): number {
    const file = path === null ? null : files.textOf(path);
    const row = findRow(view, source);
    const chars = file?.length ?? row?.wholeChars ?? 0;
    return Math.min(maxRereadTokens, chars / rules.charsPerToken.result);
  }

  function answer(index: number, call: RecordedCall, usage: Usage): void {
    for (const block of call.answer) if (block.type === "tool_use") calls.set(block.id, block);
    push(toAnswerId(index), {
      type: "assistant",
      content: call.answer,
      model: rules.model,
      usage,
      stop: call.answer.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      sentAt: new Date(nowMs).toISOString(),
    });
  }
}
