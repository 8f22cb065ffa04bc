/** Prompts that wait to be sent. */

import { textOf } from "../protocol/block.ts";
import type { Fact, UserFact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { contextOf, runHooks } from "./run-hooks.ts";
import { expandPrompt, type ExpandedPrompt, type FindCommand } from "./slash-commands.ts";
import type { ToolContext } from "./tool-calls.ts";

/** What a message includes from elsewhere, such as a resource that it names. */
export type Attachments = (text: string, signal: AbortSignal) => Promise<Fact[]>;

type Prompt = Pick<UserFact, "content" | "uuid" | "midTurn">;

export class PromptQueue {
  readonly #context: ToolContext;
  readonly #find: FindCommand;
  readonly #attachments: Attachments;
  #waiting: Prompt[] = [];
  /** Why the latest prompt was not sent. */
  refusal = "";
  /** The model that the latest command asks for. */
  model: string | null = null;

  constructor(context: ToolContext, find: FindCommand, attachments: Attachments) {
    this.#context = context;
    this.#find = find;
    this.#attachments = attachments;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The event that reports what is waiting. */
  get event(): AgentEvent {
    return { type: "queue", waiting: this.#waiting.map(({ content }) => textOf(content)) };
  }

  add({ content, uuid }: Prompt): void {
    this.#waiting.push({ content, ...(uuid === undefined ? {} : { uuid }) });
  }

  clear(): void {
    this.#waiting = [];
  }

  /**
   * Appends the waiting prompts; returns whether any was sent. A prompt leaves the queue once it is on
   * disk. `midTurn`: they join a turn that has begun.
   */
  async *deliver(signal: AbortSignal, midTurn: boolean): AsyncGenerator<AgentEvent, boolean> {
    const hasPrompts = this.#waiting.length > 0;
    const unsent: string[] = [];
    let isDelivered = false;
    this.model = null;
    for (let prompt = this.#waiting[0]; prompt; prompt = this.#waiting[0]) {
      const facts = yield* this.#factsOf(midTurn ? { ...prompt, midTurn } : prompt, signal);
      const events: AgentEvent[] = [];
      for (const fact of facts) events.push(await this.#context.session.record(fact));
      this.#waiting = this.#waiting.filter((one) => one !== prompt);
      yield* events;
      const isSent = facts.some(({ type }) => type === "user");
      isDelivered ||= isSent;
      if (!isSent && signal.aborted) unsent.push(textOf(prompt.content));
    }
    if (hasPrompts) yield this.event;
    if (unsent.length > 0) yield { type: "unsent", messages: unsent };
    return isDelivered;
  }

  /** The message and what hooks add to it, or a note that it was not sent. */
  async *#factsOf(prompt: Prompt, signal: AbortSignal): AsyncGenerator<AgentEvent, Fact[]> {
    const { content } = prompt;
    const input = { prompt: textOf(content) };
    const result = yield* runHooks(this.#context, "UserPromptSubmit", input, signal);
    let expanded: ExpandedPrompt | null = null;
    const refusal = result.block ?? result.stop;
    if (refusal === null)
      expanded = yield* expandPrompt(this.#context, this.#find, content, signal);
    if (!expanded || signal.aborted) {
      this.refusal = `Your message was not sent: ${refusal ?? "it was stopped"}`;
      return [{ type: "note", kind: "error", text: this.refusal }];
    }
    this.model = expanded.model ?? this.model;
    return [
      { type: "user", ...prompt, content: expanded.content },
      ...(await this.#attachments(input.prompt, signal)),
      ...contextOf("UserPromptSubmit", result),
    ];
  }
}
