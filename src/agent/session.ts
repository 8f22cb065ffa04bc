import { estimatePrompt } from "../context/meter/cache.ts";
import { rulesFor } from "../context/rules/window.ts";
import { LiveView } from "../context/view/view.ts";
import { measure } from "../context/meter/meter.ts";
import type { MeterReading, Signals, View } from "../context/types.ts";
import type { SessionLog } from "../log/log.ts";
import type { ModelClient } from "../model/client.ts";
import { billedFor } from "../protocol/billed.ts";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import type { AgentEvent, Events } from "../protocol/event.ts";
import { callCost, sentBy, type Effort, type ModelRules } from "../protocol/model.ts";
import type { Spending } from "../protocol/budget.ts";
import type { Policy } from "../protocol/policy.ts";

/** The log and what is derived from it. The only place that appends, so the view is never behind. */
export class Session {
  readonly log: SessionLog;
  readonly policy: Policy;
  #rules: ModelRules;
  #effort: Effort | null = null;
  readonly #now: () => number;
  /** A model has answered since the program started. */
  hasAnswer = false;
  readonly #spending: Spending;
  readonly #live: LiveView;

  constructor(
    log: SessionLog,
    policy: Policy,
    rules: ModelRules,
    now: () => number,
    spending: Spending = { usd: 0 },
    live = new LiveView(log),
  ) {
    this.log = log;
    this.policy = policy;
    this.#rules = rules;
    this.#now = now;
    this.#spending = spending;
    this.#live = live;
  }

  /** Cost of this run and its subagents so far, in US dollars. */
  get spentUsd(): number {
    return this.#spending.usd;
  }

  get view(): View {
    return this.#live.view;
  }

  get nowMs(): number {
    return this.#now();
  }

  /** The model's rules, with the window that its server reported in this session. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  /** The model's window as it was known before this session, in tokens. */
  get knownWindow(): number {
    return this.#rules.windowTokens;
  }

  set rules({ effort: _old, ...rules }: ModelRules) {
    this.#rules = this.#effort === null ? rules : { ...rules, effort: this.#effort };
  }

  /** Null: the model's own default. */
  set effort(effort: Effort | null) {
    this.#effort = effort;
    this.rules = this.#rules;
  }

  /** Switches to another model. Throws `ModelError`. */
  async *useModel(client: Pick<ModelClient, "rules">, model: string): Events {
    const pricesBefore = this.rules.prices;
    const rules = await client.rules(model);
    this.rules = rules;
    yield { type: "rules", rules };
    yield await this.record({ type: "model", model, pricesBefore });
  }

  /** The current input of plans and prices. */
  get signals(): Signals {
    const { view, reading, policy, rules } = this;
    return { view, reading, policy, rules };
  }

  get reading(): MeterReading {
    return measure(this.view, this.rules, this.policy, this.nowMs);
  }

  /** Appends to the head, or to `parent`, which moves the head there. */
  async append(fact: Fact, parent?: EntryId | null): Promise<Entry> {
    const usage = billedFor(fact);
    if (usage) this.#spending.usd += callCost(usage, this.#rules.prices);
    // A server that counts nothing bills nonetheless.
    if (fact.type === "assistant" && fact.content.length > 0 && sentBy(fact.usage) === 0)
      this.#spending.usd += estimatePrompt(this.reading, this.rules, this.policy);
    const entry = await this.log.append(fact, parent === undefined ? undefined : { parent });
    // Subagents have added theirs, call by call.
    if (isOutcome(entry) || entry.type === "attempt" || entry.type === "cut")
      this.#spending.usd += entry.spent?.usd ?? 0;
    return entry;
  }

  /** Appends and returns the event that reports it. */
  async record(fact: Fact): Promise<AgentEvent> {
    return { type: "entry", entry: await this.append(fact) };
  }
}
