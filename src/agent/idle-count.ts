import { buildCountRequest } from "../context/request.ts";
import type { ModelClient } from "../model/client.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { isModelError } from "./call.ts";
import type { Session } from "./session.ts";

/** Share of the window that the meter may be wrong by before the server is asked. */
const worthAsking = 0.002;

/**
 * Trues up the meter while nobody waits: after a cut, an interrupted answer or a new model, what
 * stands in the view is estimated until the next call counts it. Whatever goes wrong here goes
 * unsaid, since the estimate stands; a server that cannot count is not asked again.
 */
export class IdleCount {
  readonly #session: Session;
  readonly #model: ModelClient;
  #refused = false;
  #stop = new AbortController();
  #counting: Promise<void> = Promise.resolve();

  constructor(session: Session, model: ModelClient) {
    this.#session = session;
    this.#model = model;
  }

  start(emit: (event: AgentEvent) => void): void {
    const { reading, view, rules } = this.#session;
    if (this.#refused || !rules.countsTokens || view.messages.length === 0) return;
    if (reading.errorTokens <= reading.windowTokens * worthAsking) return;
    this.#stop = new AbortController();
    this.#counting = this.#count(emit, this.#stop.signal);
  }

  /** Resolves when the log is free for others. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#counting;
  }

  async #count(emit: (event: AgentEvent) => void, signal: AbortSignal): Promise<void> {
    const { view, rules, policy } = this.#session;
    try {
      const { request, besideTokens } = buildCountRequest(view, rules, policy);
      const counted = await this.#model.countTokens?.(request, signal);
      const tokens = (counted ?? 0) - besideTokens;
      if (signal.aborted || tokens <= 0) return;
      emit(await this.#session.record({ type: "count", tokens }));
    } catch (error) {
      this.#refused = isModelError(error) && error.kind === "invalid";
    }
  }
}
