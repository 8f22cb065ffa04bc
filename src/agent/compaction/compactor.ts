/**
 * Turns the plan of a summary into a cut in the log: the hooks, then the text, ready or written by `summarizer.ts`,
 * then what is kept beside it (`context/summary/compose.ts`); the entry. If anything fails, the
 * history is unchanged.
 */

import { errorMessage } from "../../base/format.ts";
import { wholeSpans } from "../../context/summary/span.ts";
import { ActiveFiles } from "../../context/summary/files-in-work.ts";
import { type Composed, composeSummary, summaryLimits } from "../../context/summary/compose.ts";
import type { Plan, View } from "../../context/types.ts";
import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import type { EntryId, EntryOf, Span, SummaryReport } from "../../protocol/entry.ts";
import type { Events } from "../../protocol/event.ts";
import {
  afterCut,
  afterSummary,
  beforeCut,
  describeCut,
  type Occasion,
  recordSummary,
  warn,
} from "./apply-cut.ts";
import { BackgroundSummary } from "./background.ts";
import {
  attemptFact,
  writeDraft,
  type SummaryCost,
  type Summarizer,
  type SummaryDraft,
} from "./summarizer.ts";

/** The folder for readable copies of compacted conversations, and how to write there. */
type Transcripts = { dir: string; write(path: string, text: string): Promise<void> };

export type CompactorOptions = Summarizer & {
  hooks: HookRegistry;
  /** The current text of a file in the workspace; null when it cannot be read as text. */
  readFile(path: string): Promise<string | null>;
  transcripts?: Transcripts | undefined;
};

export class Compactor {
  readonly #options: CompactorOptions;
  readonly background: BackgroundSummary;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.background = new BackgroundSummary(options);
  }

  /** Returns true when the cut is in the log. A stop leaves no trace. */
  async *summarize(plan: Extract<Plan, { summarize: Span }>, occasion: Occasion): Events<boolean> {
    const { session } = this.#options;
    const { signal, focus, trigger } = occasion;
    yield { type: "compaction", state: { step: "started", tier: plan.tier } };
    yield { type: "phase", phase: "compacting" };
    const cut = describeCut(plan, session.signals, trigger);
    const hook = await beforeCut(this.#options.hooks, cut, occasion);
    if (signal.aborted) return yield* this.#stopped(occasion);
    if ("veto" in hook)
      return yield* this.#declined(
        occasion,
        `A PreCompact hook vetoed the compaction: ${hook.veto}`,
      );

    const requested = wholeSpans(session.view, plan.summarize);
    const { view, rules, policy } = session;
    const { coveredChars, maxChars } = summaryLimits(view, requested, rules, policy);
    const { instructions } = hook;
    const attempt = instructions === "" ? this.#ready(plan) : null;
    const draft = attempt
      ? readDraft(attempt, requested)
      : yield* writeDraft(this.#options, {
          span: requested,
          coveredChars,
          maxChars,
          trigger,
          signal,
          focus,
          instructions,
        });
    if ("stopped" in draft) return yield* this.#stopped(occasion, draft.cost);

    const copy = prepareCopy(session.view, this.#options.transcripts);
    const composed = await this.#compose(draft, maxChars, copy?.path);
    let { text } = composed;
    if (draft.by !== "server" && text.length >= coveredChars) {
      const reason = "Not compacted: what must be kept is larger than what would be removed.";
      return yield* this.#declined(occasion, reason, draft);
    }
    if (signal.aborted) return yield* this.#stopped(occasion, draft.cost);

    const copyWarning = (await copy?.write()) ?? null;
    if (copy && copyWarning !== null) text = text.replaceAll(copy.path, "(no copy)");
    yield* warn(session, [
      ...hook.warnings,
      ...draft.warnings,
      ...(copyWarning ? [copyWarning] : []),
    ]);
    const report: SummaryReport = {
      by: draft.by,
      ...(focus ? { focus } : {}),
      turns: composed.turns,
      instructionsPutBack: composed.putBack,
      losses: composed.losses,
      rules: composed.rules,
    };
    yield await recordSummary(session, { plan, trigger, draft, text, report, attempt });
    yield { type: "compaction", state: { step: "done" } };
    yield* afterCut(this.#options, cut, occasion, text);
    yield* afterSummary(this.#options, occasion);
    return true;
  }

  /** The user or a hook declined the summary: it is not proposed again right away. */
  async *#declined({ trigger }: Occasion, reason: string, draft?: SummaryDraft): Events<false> {
    const by = draft && draft.by !== "extract" ? draft.by : null;
    const attempt = { outcome: "declined", by, trigger, reason, ...draft?.cost } as const;
    const { session } = this.#options;
    yield await session.record(attemptFact(session, attempt));
    return yield* notMade(reason);
  }

  /** A summary that was stopped leaves only the cost of its calls. */
  async *#stopped({ trigger }: Occasion, cost: SummaryCost = {}): Events<false> {
    const attempt = { outcome: "stopped", by: null, trigger, reason: unchanged, ...cost } as const;
    const { session } = this.#options;
    if (cost.usage ?? cost.spent) yield await session.record(attemptFact(session, attempt));
    return yield* notMade(unchanged);
  }

  /** The summary that was written before it was needed. */
  #ready({ draft }: { draft?: EntryId }): EntryOf<"attempt"> | null {
    const entry = draft === undefined ? undefined : this.#options.session.log.get(draft);
    return entry?.type === "attempt" ? entry : null;
  }

  async #compose(
    draft: SummaryDraft,
    maxChars: number,
    transcript: string | undefined,
  ): Promise<Composed> {
    const { session, readFile } = this.#options;
    const { span } = draft;
    const { view, rules, policy } = session;
    // Read again: the model continues from what is on disk, not from what it once saw.
    const files = new ActiveFiles(view, span, rules, policy);
    for (const path of files.candidates) {
      if (files.isFull) break;
      files.offer(path, await readFile(path).catch(() => null));
    }
    return composeSummary({
      view,
      span,
      summary: draft.text,
      by: draft.by,
      files: files.chosen,
      transcript,
      rules,
      maxChars: draft.by === "server" ? maxChars - draft.text.length : maxChars,
    });
  }
}

/** Its cost is in the attempt. */
function readDraft({ draft }: EntryOf<"attempt">, span: Span): SummaryDraft {
  const { text = "", block } = draft ?? {};
  const made = { span, text, cost: {}, warnings: [] };
  return block ? { by: "server", block, ...made } : { by: "model", ...made };
}

const unchanged = "Not compacted; nothing was changed.";

async function* notMade(message: string): Events<false> {
  yield { type: "compaction", state: { step: "failed", message } };
  return false;
}

type TranscriptCopy = {
  path: string;
  /** Returns null on success, else a warning. */
  write(): Promise<string | null>;
};

/** Prepares a copy of the messages as they are now; writes it only once the cut is certain. */
function prepareCopy(view: View, transcripts: Transcripts | undefined): TranscriptCopy | null {
  if (!transcripts) return null;
  const { name, text } = formatTranscript(view);
  const path = `${transcripts.dir}/${name}`;
  const write = (): Promise<string | null> =>
    transcripts.write(path, text).then(
      () => null,
      (error: unknown) => `The transcript could not be copied to ${path}: ${errorMessage(error)}`,
    );
  return { path, write };
}

/** File name and text: one message per line, as JSON. */
function formatTranscript(view: View): { name: string; text: string } {
  const at = view.rows.at(-1)?.entry.at ?? "";
  const text = view.messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  return { name: `transcript_${at.replace(/[^\dTZ]+/g, "-")}.jsonl`, text };
}
