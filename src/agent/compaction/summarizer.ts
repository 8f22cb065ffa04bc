/** Chooses who writes a summary: the server, the model, or an extract of the log. */

import { extractSummary } from "../../context/summary/extract.ts";
import { previousSummary } from "../../context/summary/previous-summary.ts";
import { fromTheStart, wholeSpans } from "../../context/summary/spans.ts";
import { rowsOf } from "../../context/summary/user-messages.ts";
import type { ModelClient } from "../../model/client.ts";
import type { CompactionBlock } from "../../protocol/block.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { Span } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { Usage } from "../../protocol/model.ts";
import serverPrompt from "../prompts/summary-server.md" with { type: "text" };
import summaryPrompt from "../prompts/summary.md" with { type: "text" };
import type { Session } from "../session.ts";
import { writeByServer, writeSummary, type SummaryJob } from "./summary-calls.ts";
import { Breaker } from "./throttle.ts";

export type SummaryDraft = {
  text: string;
  usage?: Usage;
  /** What went wrong on the way, for the user. */
  warnings: string[];
} & ({ by: "model" } | { by: "extract" } | { by: "server"; block: CompactionBlock });

export type SummaryRequest = {
  span: Span;
  /** Longest summary that is accepted. */
  maxChars: number;
  /** Requested by the user: earlier failures are forgotten. */
  byHand: boolean;
  /** The server's signed summary, which nobody can edit, is acceptable. */
  mayBeSigned: boolean;
  signal: AbortSignal;
  focus?: string;
  /** What the preCompact hook adds to the prompt. */
  instructions?: string;
};

export type SummarizerOptions = { session: Session; model(): ModelClient; clock: Clock };

export class Summarizer {
  readonly #options: SummarizerOptions;
  readonly #breaker: Breaker;
  #serverFailed = false;

  constructor(options: SummarizerOptions) {
    this.#options = options;
    this.#breaker = new Breaker(options.session.policy.summary.failuresToBreaker);
  }

  /** Always returns a draft, unless the signal fires: then null. */
  async *write(request: SummaryRequest): AsyncGenerator<AgentEvent, SummaryDraft | null> {
    const { session } = this.#options;
    const warnings: string[] = [];
    if (request.byHand) {
      this.#breaker.close();
      this.#serverFailed = false;
    }
    if (this.#serverWrites(request)) {
      const span = wholeSpans(session.view, fromTheStart(session.view, request.span));
      const prompt = promptOf(serverPrompt, request);
      const written = yield* writeByServer(this.#job({ ...request, span }, prompt));
      if ("stopped" in written) return null;
      if ("block" in written) return { by: "server", warnings, ...written };
      this.#serverFailed = true;
      warnings.push(`The server could not summarize (${written.failed}); summarized locally.`);
    }
    if (!this.#breaker.isOpen(session.view)) {
      const prompt = promptOf(summaryPrompt, request);
      const written = yield* writeSummary(this.#job(request, prompt));
      if ("stopped" in written) return null;
      if ("text" in written) {
        this.#breaker.close();
        return { by: "model", warnings, ...written };
      }
      warnings.push(failureWarning(written.failed, this.#breaker.fail(session.view)));
    }
    return { by: "extract", text: this.#extract(request), warnings };
  }

  #serverWrites({ mayBeSigned }: SummaryRequest): boolean {
    const { rules, policy } = this.#options.session;
    return rules.compacts && policy.engine !== "client" && mayBeSigned && !this.#serverFailed;
  }

  #job({ span, maxChars, signal }: SummaryRequest, prompt: string): SummaryJob {
    const { session, model, clock } = this.#options;
    return { session, model: model(), span, prompt, maxChars, clock, signal };
  }

  #extract({ span, maxChars }: SummaryRequest): string {
    const { view, rules, policy } = this.#options.session;
    const room = policy.summary.outputTokens * rules.charsPerToken.prose;
    return extractSummary(rowsOf(view, span), {
      earlier: previousSummary(view, span),
      mostChars: Math.floor(Math.min(room, maxChars / 2)),
    });
  }
}

const promptOf = (base: string, { focus, instructions }: SummaryRequest): string =>
  [
    base.trim(),
    focus ? `Above all, keep what is relevant to this: ${focus}` : "",
    instructions?.trim() ?? "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const failureWarning = (reason: string, opened: boolean): string =>
  `The model could not write the summary (${reason}); it was built without a model.${
    opened
      ? " After several failures in a row, the model will not be asked again until you compact by hand or the conversation has changed much."
      : ""
  }`;
