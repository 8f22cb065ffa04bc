import { textOf } from "../protocol/block.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { billedFor } from "../protocol/entry.ts";
import { addUsage, costOf, type Prices, type Usage } from "../protocol/model.ts";

/** The totals of one run: last answer, tokens, cost, how it ended. */
export class RunStats {
  /** The model's last text. */
  answer = "";
  exitCode = 1;
  readonly #session: string;
  readonly #prices: Prices;
  #usage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  #costUsd = 0;
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
    const usage = billedFor(entry);
    if (usage) {
      this.#usage = addUsage(this.#usage, usage);
      this.#costUsd += costOf(usage, this.#prices);
    }
    if (entry.type !== "assistant") return;
    const text = textOf(entry.content).trim();
    if (text !== "") this.answer = text;
    if (entry.stop !== "failed") this.#calls++;
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
      costUsd: this.#costUsd,
    };
  }
}
