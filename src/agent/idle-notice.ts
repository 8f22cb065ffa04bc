import type { HookRegistry } from "../hooks/registry.ts";
import { sleep, type Clock } from "../protocol/clock.ts";

/** How long the agent waits for the user before it says so, in milliseconds. */
const idleMs = 60_000;

/** Runs the Notification hooks once the agent has waited for the user for a while. */
export class IdleNotice {
  readonly #hooks: HookRegistry;
  readonly #clock: Pick<Clock, "after">;
  #stop = new AbortController();

  constructor(hooks: HookRegistry, clock: Pick<Clock, "after">) {
    this.#hooks = hooks;
    this.#clock = clock;
  }

  start(): void {
    if (!this.#hooks.has("Notification")) return;
    this.#stop = new AbortController();
    void this.#notify(this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #notify(signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, idleMs, signal);
    if (signal.aborted) return;
    const message = "mini-claude is waiting for your input";
    // A hook that has started may finish; it does not concern the next turn.
    const run = { signal: new AbortController().signal, emit: () => undefined };
    await this.#hooks
      .run("Notification", { message, notification_type: "idle_prompt" }, run)
      .catch(() => undefined);
  }
}
