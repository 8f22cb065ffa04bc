import { textOf } from "../protocol/block.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { costOf, type Prices, type Usage } from "../protocol/model.ts";

/** Adds up one run: the last answer, the tokens, the cost, how it ended. */
export class RunStats {
  /** The model's last words. */
  answer = "";
  exitCode = 1;
  readonly #session: string;
  readonly #prices: Prices;
  readonly #usage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  #calls = 0;
  #cuts = 0;
  #end: "done" | "stopped" | "failed" = "failed";
  #message: string | undefined;

  constructor(session: string, prices: Prices) {
    this.#session = session;
    this.#prices = prices;
  }

  add(event: AgentEvent): void {
    if (event.type === "idle") {
      this.#end = event.why;
      this.#message = event.message;
      this.exitCode = { done: 0, failed: 1, stopped: 130 }[event.why];
    }
    if (event.type !== "entry") return;
    const { entry } = event;
    if (entry.type === "cut") this.#cuts++;
    if (entry.type !== "assistant") return;
    const text = textOf(entry.content).trim();
    if (text !== "") this.answer = text;
    if (entry.stop !== "failed") this.#calls++;
    for (const key of ["input", "cacheRead", "cacheWrite", "output"] as const) {
      this.#usage[key] += entry.usage[key];
    }
    this.#usage.cacheWrite1h = (this.#usage.cacheWrite1h ?? 0) + (entry.usage.cacheWrite1h ?? 0);
  }

  report() {
    return {
      session: this.#session,
      end: this.#end,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      answer: this.answer,
      calls: this.#calls,
      cuts: this.#cuts,
      usage: this.#usage,
      costUsd: costOf(this.#usage, this.#prices),
    };
  }
}
