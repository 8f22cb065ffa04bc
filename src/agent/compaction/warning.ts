import type { MeterReading } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";

/** Share of the window before the automatic summary at which the person hears of it. */
const nearShare = 0.05;

/** Tells once that the automatic summary is near, and again only after the context was smaller. */
export class Warning {
  #told = false;

  /** Null: nothing to tell now. */
  of(
    { utilisation, leftTokens }: MeterReading,
    { summaryAt, autoCompact, compaction }: Policy,
  ): string | null {
    if (utilisation < summaryAt - nearShare) {
      this.#told = false;
      return null;
    }
    if (this.#told) return null;
    this.#told = true;
    const used = `The context is ${Math.round(utilisation * 100)} % full`;
    const focus = "/compact with a few words on what matters keeps more of it";
    if (autoCompact === "off" || compaction === "off") {
      const left = `${Math.max(0, leftTokens).toLocaleString("en")} tokens are left`;
      const hint = compaction === "off" ? "only what no longer fits will be cut" : focus;
      return `${used} (${left}) and automatic summaries are off: ${hint}.`;
    }
    const when = utilisation > summaryAt ? "" : `beyond ${Math.round(summaryAt * 100)} % `;
    const what = autoCompact === "ask" ? "asks for a summary" : "begins with a summary";
    return `${used}: ${when}the next turn ${what}; ${focus}.`;
  }
}
