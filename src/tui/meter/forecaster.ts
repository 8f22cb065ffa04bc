import { forecast, type Forecast } from "../../context/forecast.ts";
import { BetweenFrames } from "../between-frames.ts";
import type { Host } from "../host.ts";

const nothing: Forecast = { bySize: null, whenCold: null };

/** The forecast that the meter shows. */
export class Forecaster {
  readonly #host: Host;
  readonly #forecast: BetweenFrames<Forecast>;

  constructor(host: Host) {
    this.#host = host;
    this.#forecast = new BetweenFrames(host);
  }

  get current(): Forecast {
    const { view, rules, options, reading, nowMs } = this.#host;
    // There is nothing to cut yet, and the first frame need not wait for the planner to find that out.
    if (!view.rows.some(({ shown }) => shown !== "unsent")) return nothing;
    const { cache } = reading;
    const keys = [view, view.version, rules, options.policy, cache.state, cache.expiresAtMs];
    return this.#forecast.get(keys, () => forecast(view, rules, options.policy, nowMs)) ?? nothing;
  }

  postpone(): void {
    this.#forecast.postpone();
  }

  stop(): void {
    this.#forecast.stop();
  }
}
