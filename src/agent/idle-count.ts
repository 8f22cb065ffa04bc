import { buildCountRequest } from "../context/request.ts";
import type { ModelClient } from "../model/client.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Session } from "./session.ts";
import { isModelError } from "./stream-answer.ts";

/** Error of the meter, as a share of the window, above which the server is asked to count. */
const minErrorShare = 0.002;

/**
 * Corrects the meter while the agent is idle: after a cut, an interrupted answer or a change of
 * model, the view is only estimated until a call counts it. Failures are ignored, since the
 * estimate still holds; a server that cannot count is not asked again.
 */
export class IdleCount {
  readonly #session: Session;
  readonly #model: ModelClient;
  #unsupported = false;
  #stop = new AbortController();
  #counting: Promise<void> = Promise.resolve();

  constructor(session: Session, model: ModelClient) {
    this.#session = session;
    this.#model = model;
  }

  start(emit: (event: AgentEvent) => void): void {
    const { reading, view, rules } = this.#session;
    if (this.#unsupported || !rules.countsTokens || view.messages.length === 0) return;
    if (reading.errorTokens <= reading.windowTokens * minErrorShare) return;
    this.#stop = new AbortController();
    this.#counting = this.#count(emit, this.#stop.signal);
  }

  /** Resolves when nothing more will be appended. */
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
      this.#unsupported = isModelError(error) && error.kind === "invalid";
    }
  }
}
