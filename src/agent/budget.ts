/**
 * Limits that end a turn although the model would continue, and spending caps of the session, the day and the
 * project; the user is asked before one is exceeded.
 */

import { estimatePrompt } from "../context/meter/cache.ts";
import {
  budgetName,
  budgetScopes,
  type BudgetScope,
  type BudgetState,
  type Spending,
} from "../protocol/budget.ts";
import type { AgentEvent, Ask, Events, TurnEnd } from "../protocol/event.ts";
import { counted } from "../base/format.ts";
import { askUser, type ApprovalGate } from "./approvals.ts";
import type { Session } from "./session.ts";

export type Limits = {
  /** Model calls in a turn. */
  maxCalls?: number | undefined;
  /** The user is there, and may let the turn go on. */
  isAttended?: boolean;
  /** Spending limit of the run, in US dollars. */
  maxUsd?: number | undefined;
};

/** The end of a turn that has reached a limit. `continues`: another call would follow. */
export function limitReached(
  { maxCalls = Infinity, maxUsd = Infinity, isAttended = false }: Limits,
  spent: { calls: number; usd: number },
  continues: boolean,
): TurnEnd | null {
  if (spent.usd >= maxUsd) {
    const message = `The run has cost $${spent.usd.toFixed(4)}; the limit is $${maxUsd}.`;
    return { why: "failed", limit: "budget", message };
  }
  if (!continues || spent.calls < maxCalls) return null;
  const message = isAttended
    ? `This turn has made ${counted(maxCalls, "call")}, as many as the setting maxCalls lets it. Send “continue” to go on.`
    : `The limit of ${counted(maxCalls, "call")} is reached.`;
  return { why: "failed", limit: "turns", message };
}

export type BudgetOptions = {
  caps: Partial<Record<BudgetScope, number | undefined>>;
  /** Spending of this run and its subagents. */
  spending: Spending;
  /** US dollars that this session cost before this run. */
  sessionUsd: number;
  /** Cost of other runs, today and in this project, in US dollars; read again before each call. */
  elsewhere(): Promise<{ day: number; project: number }>;
  /** Questions can be answered. */
  isAttended: boolean;
};

export class Budget {
  readonly #options: BudgetOptions;
  readonly #caps: Map<BudgetScope, number>;
  #elsewhere = { day: 0, project: 0 };
  /** Calls of subagents wait for the question that one of them asks. */
  #checked: Promise<unknown> = Promise.resolve();

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#caps = new Map(
      budgetScopes.flatMap((scope) => {
        const cap = options.caps[scope];
        return cap === undefined ? [] : [[scope, cap] as const];
      }),
    );
  }

  /** Spending caps, the most used first. */
  get state(): BudgetState[] {
    return [...this.#caps]
      .map(([scope, capUsd]) => ({ scope, capUsd, spentUsd: this.#spent(scope) }))
      .toSorted((a, b) => b.spentUsd / b.capUsd - a.spentUsd / a.capUsd);
  }

  /** The end of a turn at a cap that has been reached. */
  get reached(): TurnEnd | null {
    const over = this.state.find(({ capUsd, spentUsd }) => spentUsd >= capUsd);
    return over ? stopAt(over) : null;
  }

  get isCapped(): boolean {
    return this.#caps.size > 0;
  }

  get event(): AgentEvent {
    return { type: "budget", budget: this.state };
  }

  /** Null: no cap. */
  set(scope: BudgetScope, capUsd: number | null): void {
    if (capUsd === null) this.#caps.delete(scope);
    else this.#caps.set(scope, capUsd);
  }

  /** Before a call of the model. Asks where a cap would be passed; returns how the turn ends, or null. */
  async *check(session: Session, approvals: Pick<ApprovalGate, "ask">): Events<TurnEnd | null> {
    if (this.#caps.size === 0) return null;
    const before = this.#checked;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#checked = promise;
    await before;
    try {
      return yield* this.#check(session, approvals);
    } finally {
      resolve();
    }
  }

  async *#check(session: Session, approvals: Pick<ApprovalGate, "ask">): Events<TurnEnd | null> {
    const { caps, isAttended } = this.#options;
    if (this.#caps.has("day") || this.#caps.has("project"))
      this.#elsewhere = await this.#options.elsewhere();
    yield this.event;
    const nextUsd = estimatePrompt(session.reading, session.rules, session.policy);
    for (const state of this.state) {
      const { scope, capUsd, spentUsd } = state;
      const isOver = isAttended ? spentUsd + nextUsd > capUsd : spentUsd >= capUsd;
      if (!isOver || nextUsd === 0) continue;
      const stop = stopAt(state);
      if (!isAttended) return stop;
      const more = caps[scope] ?? capUsd;
      const answer = yield* askUser(approvals, question(state, nextUsd, more));
      if (!answer.allow) return stop;
      this.set(scope, answer.scope === "once" ? capUsd + more : null);
      const text = answer.scope === "once" ? `raised to $${round(capUsd + more)}` : "lifted";
      const note = `The budget for ${budgetName(scope)} was ${text}.`;
      yield await session.record({ type: "note", kind: "permission", text: note });
      yield this.event;
    }
    return null;
  }

  #spent(scope: BudgetScope): number {
    const { spending, sessionUsd } = this.#options;
    return spending.usd + (scope === "session" ? sessionUsd : this.#elsewhere[scope]);
  }
}

const describe = ({ scope, capUsd, spentUsd }: BudgetState): string =>
  `The budget for ${budgetName(scope)} is $${round(capUsd)}; $${round(spentUsd)} is spent.`;

const stopAt = (state: BudgetState): TurnEnd => ({
  why: "failed",
  limit: "budget",
  message: `${describe(state)} /budget raises it.`,
});

const round = (usd: number): string => usd.toFixed(usd < 0.01 ? 4 : 2);

function question(state: BudgetState, nextUsd: number, moreUsd: number): Ask {
  const { scope } = state;
  return {
    id: `budget-${scope}-${Bun.randomUUIDv7()}`,
    toolUse: "budget",
    tool: "Budget",
    title: "Go on past the budget?",
    detail: [
      describe(state),
      `The next call costs about $${round(nextUsd)}, without its answer.`,
      `Allow once: up to $${round(moreUsd)} more.`,
    ].join("\n"),
    detailKind: "text",
    rule: scope === "session" ? "no budget" : `no budget for ${budgetName(scope)}`,
  };
}
