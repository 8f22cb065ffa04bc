/** Who writes a summary: the server, the model, or, when neither can, nobody but the log itself. */

import { previousSummary } from "../../context/summary/previous-summary.ts";
import { extractSummary } from "../../context/summary/extract.ts";
import { fromTheStart, wholeSpans } from "../../context/summary/spans.ts";
import { rowsOf } from "../../context/summary/user-messages.ts";
import type { CompactionBlock } from "../../protocol/block.ts";
import type { Span } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Usage } from "../../protocol/model.ts";
import serverPrompt from "../prompts/summary-server.md" with { type: "text" };
import summaryPrompt from "../prompts/summary.md" with { type: "text" };
import { Breaker } from "./breaker.ts";
import type { CompactorOptions } from "./parts.ts";
import { writeByServer, writeSummary, type SummaryJob } from "./write.ts";

export type SummaryDraft = {
  text: string;
  usage?: Usage;
  /** For the person: what went wrong on the way. */
  warnings: string[];
} & ({ by: "model" } | { by: "extract" } | { by: "server"; block: CompactionBlock });

export type SummaryRequest = {
  span: Span;
  /** A summary that is not shorter than this replaces nothing. */
  mostChars: number;
  /** A person asked: whatever failed before is tried again. */
  byHand: boolean;
  /** The server's own will do, though nobody can change a word of it. */
  mayBeSigned: boolean;
  signal: AbortSignal;
  focus?: string;
  /** What the person's hook adds to the prompt. */
  instructions?: string;
};

type AuthorParts = Pick<CompactorOptions, "session" | "model" | "clock">;

export class Summarizer {
  readonly #parts: AuthorParts;
  readonly #breaker: Breaker;
  #serverFailed = false;

  constructor(parts: AuthorParts) {
    this.#parts = parts;
    this.#breaker = new Breaker(parts.session.policy.summary.failuresToBreaker);
  }

  /** Always ends in a draft; null only when it was stopped. */
  async *write(order: SummaryRequest): AsyncGenerator<AgentEvent, SummaryDraft | null> {
    const { session } = this.#parts;
    const warnings: string[] = [];
    if (order.byHand) {
      this.#breaker.close();
      this.#serverFailed = false;
    }
    if (this.#serverWrites(order)) {
      const span = wholeSpans(session.view, fromTheStart(session.view, order.span));
      const prompt = promptOf(serverPrompt, order);
      const written = yield* writeByServer(this.#assignment({ ...order, span }, prompt));
      if ("stopped" in written) return null;
      if ("block" in written) return { by: "server", warnings, ...written };
      this.#serverFailed = true;
      warnings.push(
        `The server could not compact (${written.failed}); the summary is made on this side.`,
      );
    }
    if (!this.#breaker.isOpen(session.view)) {
      const prompt = promptOf(summaryPrompt, order);
      const written = yield* writeSummary(this.#assignment(order, prompt));
      if ("stopped" in written) return null;
      if ("text" in written) {
        this.#breaker.close();
        return { by: "model", warnings, ...written };
      }
      warnings.push(failureWords(written.failed, this.#breaker.failed(session.view)));
    }
    return { by: "extract", text: this.#extract(order), warnings };
  }

  #serverWrites({ mayBeSigned }: SummaryRequest): boolean {
    const { rules, policy } = this.#parts.session;
    return rules.compacts && policy.engine !== "client" && mayBeSigned && !this.#serverFailed;
  }

  #assignment({ span, mostChars, signal }: SummaryRequest, prompt: string): SummaryJob {
    const { session, model, clock } = this.#parts;
    return { session, model: model(), span, prompt, replacesChars: mostChars, clock, signal };
  }

  #extract({ span, mostChars }: SummaryRequest): string {
    const { view, rules, policy } = this.#parts.session;
    const room = policy.summary.outputTokens * rules.charsPerToken.prose;
    return extractSummary(rowsOf(view, span), {
      earlier: previousSummary(view, span),
      mostChars: Math.floor(Math.min(room, mostChars / 2)),
    });
  }
}

const promptOf = (base: string, { focus, instructions }: SummaryRequest): string =>
  [
    base.trim(),
    focus ? `Keep above all what has to do with this: ${focus}` : "",
    instructions?.trim() ?? "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const failureWords = (failed: string, opened: boolean): string =>
  `The model could not write the summary (${failed}); it was made without a model.${
    opened
      ? " That was one failure too many in a row: the model is not asked again until you compact by hand or the conversation has changed much."
      : ""
  }`;
