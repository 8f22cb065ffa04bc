/**
 * The context engine by itself: what the model sees of a conversation, how full its window is, and
 * what is cut, for any list of Anthropic messages.
 *
 * ```ts
 * import { createContext } from "mini-claude/context";
 *
 * const context = createContext({ model: "claude-sonnet-5-5", messages });
 * console.log(context.meter().usedTokens);
 * await context.compact(); // the cuts that are due now
 * send(context.request()); // the messages that are left, with cache marks
 * ```
 */

// Programs that import this check its types without our tsconfig.json.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../../agent/prompts/markdown.d.ts" />
import summaryPrompt from "../../agent/prompts/summary.md" with { type: "text" };
import { priceChanges, priceRestore } from "../../context/meter/cache.ts";
import { measure } from "../../context/meter/meter.ts";
import { nextPlan, summaryPlan } from "../../context/ladder.ts";
import { buildRequest, buildSummaryRequest } from "../../context/request.ts";
import { composeSummary, summaryLimits } from "../../context/summary/compose.ts";
import { readSummary } from "../../context/summary/read.ts";
import { wholeSpans } from "../../context/summary/span.ts";
import type { MeterReading, Plan, Signals } from "../../context/types.ts";
import { lookUpRules } from "../../model/catalog.ts";
import type { EntryOf, Span } from "../../protocol/entry.ts";
import type { Message, ModelRequest, ModelRules, ToolDefinition } from "../../protocol/model.ts";
import { defaultPolicy, type Policy } from "../../protocol/policy.ts";
import { type AnyMessage, Conversation } from "./messages.ts";

export type { AnyMessage } from "./messages.ts";
export type { MeterReading, Plan } from "../../context/types.ts";
export type { Message, ModelRequest, ModelRules, ToolDefinition } from "../../protocol/model.ts";
export type { Policy } from "../../protocol/policy.ts";

export type ContextOptions = {
  /** Its window, prices and characters per token come from the built-in catalog. */
  model: string;
  system?: string;
  tools?: ToolDefinition[];
  messages?: readonly AnyMessage[];
  /** Changes to the default policy. */
  policy?: Partial<Policy>;
  /** Changes to what the catalog says, such as a smaller window. */
  rules?: Partial<ModelRules>;
  /** Milliseconds since the epoch; default: the system's clock. */
  now?: () => number;
};

export type CompactOptions = {
  /** Summarize now, whether it is due or not. */
  now?: boolean;
  /** Writes a summary by sending this request to a model. Without it, one is built from the messages. */
  summarize?(request: ModelRequest): Promise<string>;
};

/** One change of the view. */
export type Cut = EntryOf<"cut">;

export class Context {
  readonly #rules: ModelRules;
  readonly #policy: Policy;
  readonly #now: () => number;
  readonly #conversation: Conversation;

  /** Throws with a sentence when a message has a block that is not supported. */
  constructor(options: ContextOptions) {
    const { model, system = "", tools = [], messages = [], now = Date.now } = options;
    this.#rules = { ...lookUpRules(model), ...options.rules };
    this.#policy = { ...defaultPolicy, ...options.policy };
    this.#now = now;
    this.#conversation = new Conversation(model, now);
    const first = { type: "session", version: 1, session: "library", cwd: "/" } as const;
    this.#conversation.append({ ...first, model, system, tools });
    for (const message of messages) this.push(message);
  }

  /** Adds a message to the end. The meter learns from the `usage` of an answer. */
  push(message: AnyMessage): void {
    this.#conversation.push(message);
  }

  /** The messages as the model sees them now. */
  get messages(): readonly Message[] {
    return this.#conversation.view.messages;
  }

  /** Used and free tokens, the cache, the cost. */
  meter(): MeterReading {
    return measure(this.#conversation.view, this.#rules, this.#policy, this.#now());
  }

  get #signals(): Signals {
    const { view } = this.#conversation;
    return { view, reading: this.meter(), policy: this.#policy, rules: this.#rules };
  }

  /** The next cut with its reason and price; null: nothing is due. */
  plan(): Plan | null {
    return nextPlan("turnStart", this.#signals);
  }

  /** Cuts what is due, and returns the cuts. */
  async compact({ now = false, summarize }: CompactOptions = {}): Promise<Cut[]> {
    const cuts: Cut[] = [];
    if (now) {
      const plan = summaryPlan(this.#signals);
      if (plan) cuts.push(await this.#apply(plan, summarize));
      return cuts;
    }
    for (let plan = this.plan(); plan; plan = this.plan()) {
      const before = this.meter().usedTokens;
      cuts.push(await this.#apply(plan, summarize));
      if (this.meter().usedTokens >= before) break;
    }
    return cuts;
  }

  /** Undoes a cut, whatever came later. Throws when it has been undone already. */
  undo({ id }: Pick<Cut, "id">): void {
    const { view, entries } = this.#conversation;
    if (!view.cuts.some((cut) => cut.id === id)) throw new Error(`There is no cut ${id} to undo.`);
    const target = { cut: id };
    const { price } = priceRestore(entries, target, this.#rules, this.#policy, this.#now());
    this.#conversation.append({ type: "restore", ...target, price });
  }

  /** The next call, with cache marks. Throws when it breaks a rule of the API or does not fit. */
  request(): ModelRequest {
    return buildRequest(this.#conversation.view, this.#rules, this.#policy);
  }

  async #apply(plan: Plan, summarize: CompactOptions["summarize"]): Promise<Cut> {
    const { tier, reason } = plan;
    const base = { type: "cut", tier, trigger: "auto", reason } as const;
    if ("changes" in plan)
      return this.#conversation.append({ ...base, changes: plan.changes, price: plan.price });
    const span = wholeSpans(this.#conversation.view, plan.summarize);
    const text = await writeSummary(this.#signals, span, summarize);
    const changes = [{ kind: "cover" as const, span, text }];
    const price = priceChanges(this.#signals, changes);
    return this.#conversation.append({ ...base, changes, price });
  }
}

/** Throws with a sentence when a message has a block that is not supported. */
export const createContext = (options: ContextOptions): Context => new Context(options);

/** The summary of a span: written by the caller's model, or else built from the messages. */
async function writeSummary(
  { view, rules, policy }: Signals,
  span: Span,
  summarize: ((request: ModelRequest) => Promise<string>) | undefined,
): Promise<string> {
  const { maxChars } = summaryLimits(view, span, rules, policy);
  const prompt = summaryPrompt.trim();
  const answer = await summarize?.(buildSummaryRequest(view, span, rules, policy, { prompt }));
  const read = answer === undefined ? null : readSummary(answer, "end_turn", maxChars);
  const written = read && "text" in read ? read.text : null;
  return composeSummary({
    view,
    span,
    summary: written,
    files: [],
    rules,
    maxChars,
  }).text;
}
