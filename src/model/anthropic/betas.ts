/** Beta features of a server, learned from its answers. */
export class Betas {
  /** Sent with every later call: dropping one would change the prompt that the cache was written for. */
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();

  isRefused = (beta: string): boolean => this.#refused.has(beta);

  /** Those to send with a request that needs these. */
  toSend(needed: readonly string[] = []): string[] {
    return [...new Set([...this.#accepted, ...needed])].filter((beta) => !this.isRefused(beta));
  }

  accept(sent: readonly string[]): void {
    for (const beta of sent) this.#accepted.add(beta);
  }

  /** Whether the error refuses betas: those that it names, else all that were sent. */
  learn(sent: readonly string[], error: unknown): boolean {
    if (!(error instanceof Error) || !/anthropic-beta|\bbeta (flag|header)/i.test(error.message))
      return false;
    const named = sent.filter((beta) => error.message.includes(beta));
    for (const beta of named.length > 0 ? named : sent) this.#refused.add(beta);
    return sent.length > 0;
  }
}

export const betaHeader = (sent: readonly string[]): Record<string, string> =>
  sent.length > 0 ? { "anthropic-beta": sent.join(",") } : {};
