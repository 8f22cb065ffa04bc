/** Work that the agent does while it waits for the user. */

import { buildCountRequest } from "../context/request.ts";
import { sleep } from "../base/clock.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { forward } from "../base/async-queue.ts";
import { isModelError } from "./call.ts";
import type { AgentContext } from "./options.ts";

/** How long the agent waits for the user before it says so, in milliseconds. */
const idleMs = 60_000;

/** Error of the meter, as a share of the window, above which the server is asked to count. */
const minErrorShare = 0.002;

export class IdleWork {
  readonly #context: AgentContext;
  #cannotCount = false;
  #stop = new AbortController();
  #working: Promise<unknown> = Promise.resolve();

  constructor(context: AgentContext) {
    this.#context = context;
  }

  start(emit: (event: AgentEvent) => void): void {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const summary = forward(this.#context.boundaries.idle(signal), emit);
    // A full disk is reported by what is appended next.
    this.#working = Promise.allSettled([this.#count(emit, signal), summary]);
    void this.#notify(this.#stop.signal);
  }

  /** Resolves when nothing more will be appended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  /**
   * Corrects the meter: after a cut, an interrupted answer or a change of model, the view is only
   * estimated until a call counts it. Failures are ignored, since the estimate still holds; a server
   * that cannot count is not asked again.
   */
  async #count(emit: (event: AgentEvent) => void, signal: AbortSignal): Promise<void> {
    const { session, model } = this.#context;
    const { reading, view, rules, policy } = session;
    if (this.#cannotCount || !rules.countsTokens || view.messages.length === 0) return;
    if (reading.errorTokens <= reading.windowTokens * minErrorShare) return;
    try {
      const { request, besideTokens } = buildCountRequest(view, rules, policy);
      const counted = await model.countTokens?.(request, signal);
      const tokens = (counted ?? 0) - besideTokens;
      // Some servers count wrongly.
      const isWrong = tokens > rules.windowTokens * 10;
      if (signal.aborted || tokens <= 0 || isWrong) return;
      emit(await session.record({ type: "count", tokens }));
    } catch (error) {
      this.#cannotCount = isModelError(error) && error.kind === "invalid";
    }
  }

  /** Runs the Notification hooks once the agent has waited for a while. */
  async #notify(signal: AbortSignal): Promise<void> {
    const { hooks, clock } = this.#context;
    if (!hooks.has("Notification")) return;
    await sleep(clock, idleMs, signal);
    if (signal.aborted) return;
    const message = "mini-claude is waiting for your input";
    // A hook that has started may finish; it does not concern the next turn.
    const run = { signal: new AbortController().signal };
    await hooks
      .run("Notification", { message, notification_type: "idle_prompt" }, run)
      .catch(() => undefined);
  }
}
