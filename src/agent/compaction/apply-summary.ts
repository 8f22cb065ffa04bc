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
import type { EntryOf, Span, SummaryReport, Trigger } from "../../protocol/entry.ts";
import type { Events } from "../../protocol/event.ts";
import type { Session } from "../session.ts";
import {
  afterCut,
  afterSummary,
  beforeCut,
  describeCut,
  describePrice,
  type Occasion,
  recordSummary,
  warn,
} from "./apply-cut.ts";
import {
  attemptFact,
  writeDraft,
  type SummaryCost,
  type Summarizer,
  type SummaryDraft,
} from "./summarizer.ts";

/** The folder for readable copies of compacted conversations, and how to write there. */
type Transcripts = { dir: string; write(path: string, text: string): Promise<void> };

export type CompactionParts = Summarizer & {
  hooks: HookRegistry;
  /** The current text of a file in the workspace; null when it cannot be read as text. */
  readFile(path: string): Promise<string | null>;
  transcripts?: Transcripts | undefined;
};

/** Returns true when the cut is in the log. */
export async function* applySummary(
  options: CompactionParts,
  plan: Extract<Plan, { summarize: Span }>,
  occasion: Occasion,
): Events<boolean> {
  const { session, hooks, transcripts } = options;
  const { signal, focus, trigger } = occasion;
  yield { type: "compaction", state: { step: "started", tier: plan.tier } };
  yield { type: "phase", phase: "compacting" };
  const cut = describeCut(plan, session.signals, trigger);
  const hook = await beforeCut(hooks, cut, occasion);
  if (signal.aborted) return yield* stopped(session, trigger);
  if ("veto" in hook) {
    const reason = `A PreCompact hook vetoed the compaction: ${hook.veto}`;
    return yield* declined(session, trigger, reason);
  }
  const { view, rules, policy, log } = session;
  const span = wholeSpans(view, plan.summarize);
  const { coveredChars, maxChars } = summaryLimits(view, span, rules, policy);
  const { instructions } = hook;
  const ready = plan.draft === undefined || instructions !== "" ? undefined : log.get(plan.draft);
  const attempt = ready?.type === "attempt" ? ready : null;
  const request = { span, maxChars, trigger, signal, focus, instructions };
  const draft = attempt ? readDraft(attempt, span) : yield* writeDraft(options, request);
  if ("stopped" in draft) return yield* stopped(session, trigger, draft.cost);
  const copy = transcripts ? await writeCopy(session.view, transcripts) : {};
  const {
    text,
    turns,
    putBack,
    losses,
    rules: kept,
  } = await compose(options, draft, maxChars, copy.path);
  if (draft.by !== "server" && text.length >= coveredChars) {
    const reason = "Not compacted: what must be kept is larger than what would be removed.";
    return yield* declined(session, trigger, reason, draft);
  }
  if (signal.aborted) return yield* stopped(session, trigger, draft.cost);
  yield* warn(session, [...hook.warnings, ...draft.warnings, ...(copy.warning ?? [])]);
  const report: SummaryReport = {
    by: draft.by,
    ...(focus ? { focus } : {}),
    turns,
    instructionsPutBack: putBack,
    losses,
    rules: kept,
  };
  const price = yield* recordSummary(session, { plan, trigger, draft, text, report, attempt });
  yield { type: "compaction", state: { step: "done" } };
  yield* afterCut(options, { ...cut, ...describePrice(price) }, occasion, text);
  yield* afterSummary(options, occasion);
  return true;
}

/** The user or a hook declined the summary: it is not proposed again right away. */
async function* declined(
  session: Session,
  trigger: Trigger,
  reason: string,
  draft?: SummaryDraft,
): Events<false> {
  const by = draft && draft.by !== "extract" ? draft.by : null;
  const attempt = { outcome: "declined", by, trigger, reason, ...draft?.cost } as const;
  yield await session.record(attemptFact(session, attempt));
  return yield* notMade(reason);
}

/** A summary that was stopped leaves only the cost of its calls. */
async function* stopped(session: Session, trigger: Trigger, cost: SummaryCost = {}): Events<false> {
  const reason = "Not compacted; nothing was changed.";
  const attempt = { outcome: "stopped", by: null, trigger, reason, ...cost } as const;
  if (cost.usage ?? cost.spent) yield await session.record(attemptFact(session, attempt));
  return yield* notMade(reason);
}

async function* notMade(message: string): Events<false> {
  yield { type: "compaction", state: { step: "failed", message } };
  return false;
}

async function compose(
  { session, readFile }: CompactionParts,
  draft: SummaryDraft,
  maxChars: number,
  transcript: string | undefined,
): Promise<Composed> {
  const { view, rules, policy } = session;
  const { span, by } = draft;
  // Read again: the model continues from the current files, not from earlier versions.
  const files = new ActiveFiles(view, span, rules, policy);
  for (const path of files.candidates) {
    if (files.isFull) break;
    files.offer(path, await readFile(path).catch(() => null));
  }
  return composeSummary({
    view,
    span,
    summary: by === "extract" ? null : draft.text,
    by,
    files: files.chosen,
    transcript,
    rules,
    maxChars: by === "server" ? maxChars - draft.text.length : maxChars,
  });
}

/** The summary that was written before it was needed. Its cost is in the attempt. */
function readDraft({ draft }: EntryOf<"attempt">, span: Span): SummaryDraft {
  const { text = "", block } = draft ?? {};
  const made = { span, text, cost: {}, warnings: [] };
  return block ? { by: "server", block, ...made } : { by: "model", ...made };
}

/** Copies the messages as they are now to a file, one per line, as JSON. */
async function writeCopy(
  { rows, messages }: View,
  { dir, write }: Transcripts,
): Promise<{ path?: string; warning?: string[] }> {
  const at = rows.at(-1)?.entry.at ?? "";
  const path = `${dir}/transcript_${at.replace(/[^\dTZ]+/g, "-")}.jsonl`;
  try {
    await write(path, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    return { path };
  } catch (error) {
    const warning = `The transcript could not be copied to ${path}: ${errorMessage(error)}`;
    return { warning: [warning] };
  }
}
