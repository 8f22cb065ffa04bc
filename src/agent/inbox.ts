/** Messages that wait to be sent: of the user, and news such as the report of a subagent. */

import { blockText } from "../protocol/block.ts";
import type { ContextFact, Fact, UserFact } from "../protocol/entry.ts";
import type { AgentEvent, Events } from "../protocol/event.ts";
import type { Goal } from "./goal.ts";
import { listContext, runHooks } from "./hooks.ts";
import type { AgentContext } from "./options.ts";
import { expandPrompt, type ExpandedPrompt } from "./slash-commands.ts";

type Prompt = Pick<UserFact, "content" | "typed" | "uuid" | "midTurn">;

const wordsOf = ({ content, typed }: Prompt): string => typed ?? blockText(content);

export class Inbox {
  readonly #context: AgentContext;
  #waiting: Prompt[] = [];
  #news: ContextFact[] = [];
  /** Why the latest prompt was not sent. */
  refusal = "";
  /** The model that the latest command asks for. */
  model: string | null = null;
  /** The goal of the latest command. */
  goal: Goal | null = null;

  constructor(context: AgentContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#waiting.length + this.#news.length === 0;
  }

  /** The event that reports what is waiting. */
  get event(): AgentEvent {
    return { type: "queue", waiting: this.#waiting.map(wordsOf) };
  }

  add({ content, typed, uuid }: Prompt): void {
    this.#waiting.push({ content, ...(typed && { typed }), ...(uuid && { uuid }) });
  }

  addNews(news: ContextFact): void {
    this.#news.push(news);
  }

  /** Drops the waiting prompts. */
  clear(): void {
    this.#waiting = [];
  }

  /**
   * Appends what is waiting; returns whether the model is to answer it. A message leaves once it is on
   * disk. `midTurn`: it joins a turn that has begun.
   */
  async *deliver(signal: AbortSignal, midTurn: boolean): Events<boolean> {
    const { session, announcements } = this.#context;
    for (const fact of (await announcements?.(session.log.path, signal)) ?? [])
      yield await session.record(fact);
    const hasNews = this.#news.length > 0;
    for (let news = this.#news[0]; news; news = this.#news[0]) {
      const event = await session.record(news);
      this.#news.shift();
      yield event;
    }
    return (yield* this.#deliverPrompts(signal, midTurn)) || hasNews;
  }

  async *#deliverPrompts(signal: AbortSignal, midTurn: boolean): Events<boolean> {
    const hasPrompts = this.#waiting.length > 0;
    const unsent: string[] = [];
    let isDelivered = false;
    this.model = null;
    if (!midTurn) this.goal = null;
    for (let prompt = this.#waiting[0]; prompt; prompt = this.#waiting[0]) {
      const facts = yield* this.#factsOf(midTurn ? { ...prompt, midTurn } : prompt, signal);
      const events: AgentEvent[] = [];
      for (const fact of facts) events.push(await this.#context.session.record(fact));
      this.#waiting = this.#waiting.filter((waiting) => waiting !== prompt);
      yield* events;
      const isSent = facts.some(({ type }) => type === "user");
      isDelivered ||= isSent;
      if (!isSent && signal.aborted) unsent.push(wordsOf(prompt));
    }
    if (hasPrompts) yield this.event;
    if (unsent.length > 0) yield { type: "unsent", messages: unsent };
    return isDelivered;
  }

  /** The message and what hooks add to it, or a note that it was not sent. */
  async *#factsOf(prompt: Prompt, signal: AbortSignal): Events<Fact[]> {
    const { content } = prompt;
    const { findCommand, attachments } = this.#context;
    const input = { prompt: blockText(content) };
    const result = yield* runHooks(this.#context, "UserPromptSubmit", input, signal);
    let expanded: ExpandedPrompt | null = null;
    let refusal = result.block ?? result.stop;
    if (refusal === null)
      expanded = yield* expandPrompt(this.#context, findCommand, content, signal);
    refusal ??= expanded?.refusal ?? null;
    if (!expanded || refusal !== null || signal.aborted) {
      this.refusal = `Your message was not sent${refusal ? `: ${refusal}` : " (stopped)."}`;
      return [{ type: "note", kind: "error", text: this.refusal }];
    }
    this.model = expanded.model ?? this.model;
    this.goal = expanded.goal ?? this.goal;
    return [
      {
        type: "user",
        ...prompt,
        content: expanded.content,
        ...(expanded.content === content ? {} : { typed: input.prompt }),
      },
      ...((await attachments?.(input.prompt, signal)) ?? []),
      ...listContext("UserPromptSubmit", result),
    ];
  }
}
