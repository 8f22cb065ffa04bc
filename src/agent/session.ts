import { Bills } from "../context/bills.ts";
import { rulesFor } from "../context/fit.ts";
import { measure } from "../context/meter.ts";
import type { MeterReading, View } from "../context/types.ts";
import { Projection } from "../context/view.ts";
import type { SessionLog } from "../log/log.ts";
import { billedFor, type Entry, type EntryId, type Fact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { costOf, type Effort, type ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";

/** The log and what is derived from it. The only place that appends, so the view is never behind. */
export class Session {
  readonly log: SessionLog;
  readonly policy: Policy;
  #rules: ModelRules;
  #effort: Effort | null = null;
  readonly #bills = new Bills();
  readonly #now: () => number;
  /** A model has answered since the program started. */
  hasAnswer = false;
  #spentUsd = 0;
  /** Null until first used, so that the screen appears before a long path is walked. */
  #projection: Projection | null = null;

  constructor(log: SessionLog, policy: Policy, rules: ModelRules, now: () => number) {
    this.log = log;
    this.policy = policy;
    this.#rules = rules;
    this.#now = now;
  }

  /** What the calls of this run have cost, in US dollars. */
  get spentUsd(): number {
    return this.#spentUsd;
  }

  get view(): View {
    this.#projection ??= new Projection(this.log.path, this.#bills);
    return this.#projection.view;
  }

  /** What is known about the model, with the window that its server reported in this session. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  set rules({ effort: _old, ...rules }: ModelRules) {
    this.#rules = this.#effort === null ? rules : { ...rules, effort: this.#effort };
  }

  /** Null: the model's own default. */
  set effort(effort: Effort | null) {
    this.#effort = effort;
    this.rules = this.#rules;
  }

  get reading(): MeterReading {
    return measure(this.view, this.rules, this.policy, this.#now());
  }

  /** Appends to the head, or to `parent`, which moves the head there. */
  async append(fact: Fact, parent?: EntryId | null): Promise<Entry> {
    const moved = parent !== undefined && parent !== this.log.head;
    const entry = await this.log.append(fact, parent === undefined ? undefined : { parent });
    const usage = billedFor(entry);
    if (usage) this.#spentUsd += costOf(usage, this.#rules.prices);
    if ("subagent" in entry && entry.subagent) this.#spentUsd += entry.subagent.usd;
    if (moved) this.#projection = null;
    else this.#projection?.push(entry);
    return entry;
  }

  /** Appends and returns the event that reports it. */
  async record(fact: Fact): Promise<AgentEvent> {
    return { type: "entry", entry: await this.append(fact) };
  }
}
