/** What a server refuses, learned from its answers, so that the same call can be sent again without it. */

import { parseJson } from "../../base/guards.ts";

/** Beta features of a server, learned from its answers. */
export class Betas {
  /** Sent with every later call: dropping one would change the prompt that the cache was written for. */
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();

  isRefused = (beta: string): boolean => this.#refused.has(beta);

  /** The betas of a request: all accepted so far, and those it needs, except refused ones. */
  toSend(needed: readonly string[] = []): string[] {
    return [...new Set([...this.#accepted, ...needed])].filter((beta) => !this.isRefused(beta));
  }

  accept(sent: readonly string[]): void {
    for (const beta of sent) this.#accepted.add(beta);
  }

  /** Records the betas that an error refuses: those it names, else all that were sent. False for other errors. */
  learn(sent: readonly string[], error: unknown): boolean {
    if (!(error instanceof Error) || !/anthropic-beta|\bbeta (flag|header)/i.test(error.message))
      return false;
    const named = sent.filter((beta) => error.message.includes(beta));
    for (const beta of named.length > 0 ? named : sent) this.#refused.add(beta);
    return sent.length > 0;
  }
}

const refused =
  "(?:extra inputs|not (?:permitted|supported|allowed)|unexpected|unknown|unrecognized|unsupported)";
const refusesMarks = new RegExp(`cache_control.*${refused}`, "i");
const refusesThinking = new RegExp(
  `(?:adaptive thinking|["\\s]thinking:|output_config).*${refused}`,
  "i",
);

/** Cache marks, lengths of answers and thinking that a server refuses, learned from its answers. */
export class Limits {
  maxTokens = Infinity;
  /** And levels of effort. */
  refusesThinking = false;
  #marks: "all" | "without lifetime" | "none" = "all";

  marked(params: object): unknown {
    if (this.#marks === "all") return params;
    const mark = this.#marks === "none" ? undefined : { type: "ephemeral" };
    const marked = (key: string, value: unknown) => (key === "cache_control" ? mark : value);
    return parseJson(JSON.stringify(params, marked));
  }

  /** False for errors about other things. */
  learn(error: unknown): boolean {
    if (!(error instanceof Error)) return false;
    const most = Number(/max_tokens: \d+ > (\d+)/.exec(error.message)?.[1]);
    if (most >= 256 && most < this.maxTokens) {
      this.maxTokens = most;
      return true;
    }
    if (!this.refusesThinking && refusesThinking.test(error.message))
      return (this.refusesThinking = true);
    if (this.#marks === "none" || !refusesMarks.test(error.message)) return false;
    const isLifetime = this.#marks === "all" && error.message.includes("ttl");
    this.#marks = isLifetime ? "without lifetime" : "none";
    return true;
  }
}
