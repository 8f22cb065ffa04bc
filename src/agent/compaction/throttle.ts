/** Keeps compaction from retrying, asking or warning at every turn. */

import type { MeterReading, View } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";

/** The context must have grown or shrunk by this factor before the model is asked again. */
const muchChange = 1.5;

/**
 * Circuit breaker for a model that cannot write summaries: opens after several failures in a row;
 * closes on success, on an attempt by hand, or when the context has changed much.
 */
export class Breaker {
  readonly #maxFailures: number;
  #failures = 0;
  #rowsWhenOpened = 0;

  constructor(maxFailures: number) {
    this.#maxFailures = maxFailures;
  }

  isOpen(view: View): boolean {
    if (this.#failures < this.#maxFailures) return false;
    const rows = view.rows.length;
    return rows < this.#rowsWhenOpened * muchChange && rows * muchChange > this.#rowsWhenOpened;
  }

  /** Returns true when this failure opens it. */
  fail(view: View): boolean {
    this.#failures++;
    this.#rowsWhenOpened = view.rows.length;
    return this.#failures === this.#maxFailures;
  }

  close(): void {
    this.#failures = 0;
  }
}

/** Change of the context, as a share of the window, after which a declined summary is proposed again. */
const proposeAgainShare = 0.05;

/** Remembers that an automatic summary was declined or failed. */
export class Declined {
  #atTokens: number | null = null;

  note({ usedTokens }: MeterReading): void {
    this.#atTokens = usedTokens;
  }

  holds({ usedTokens, effectiveTokens }: MeterReading): boolean {
    if (this.#atTokens === null) return false;
    if (Math.abs(usedTokens - this.#atTokens) < proposeAgainShare * effectiveTokens) return true;
    this.#atTokens = null;
    return false;
  }
}

/** Distance to the automatic summary, as a share of the window, at which the user is warned. */
const nearShare = 0.05;

/** Warns once that the automatic summary is near, and again only after the context was smaller. */
export class NearlyFull {
  #warned = false;

  /** Returns null when there is nothing to say. */
  warning(
    { utilisation, leftTokens }: MeterReading,
    { summaryAt, autoCompact, compaction }: Policy,
  ): string | null {
    if (utilisation < summaryAt - nearShare) {
      this.#warned = false;
      return null;
    }
    if (this.#warned) return null;
    this.#warned = true;
    const used = `The context is ${Math.round(utilisation * 100)} % full`;
    if (autoCompact === "off" || compaction === "off") {
      const left = `${Math.max(0, leftTokens).toLocaleString("en")} tokens are left`;
      const hint = compaction === "off" ? "Only what no longer fits will be cut." : focusHint;
      return `${used} (${left}) and automatic summaries are off. ${hint}`;
    }
    const when = utilisation > summaryAt ? "" : `Above ${Math.round(summaryAt * 100)} %, `;
    const what =
      autoCompact === "ask"
        ? "the next turn asks for a summary"
        : "the next turn begins with a summary";
    return `${used}. ${capitalize(`${when}${what}`)}. ${focusHint}`;
  }
}

const focusHint = "To choose what is kept, use /compact with a few words.";

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
