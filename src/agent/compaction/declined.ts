import type { MeterReading } from "../../context/types.ts";

/** Share of the window that must be filled anew before a declined summary is proposed again. */
const askAgainShare = 0.05;

/** Remembers that an automatic summary was declined or failed, so that not every turn asks for it. */
export class Declined {
  #atTokens: number | null = null;

  note({ usedTokens }: MeterReading): void {
    this.#atTokens = usedTokens;
  }

  stands({ usedTokens, effectiveTokens }: MeterReading): boolean {
    if (this.#atTokens === null) return false;
    if (Math.abs(usedTokens - this.#atTokens) < askAgainShare * effectiveTokens) return true;
    this.#atTokens = null;
    return false;
  }
}
