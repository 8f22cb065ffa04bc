import type { OfflineConversation, CallStep } from "./conversation.ts";
import { type PlannedCall, hasEffects } from "./tools.ts";

/**
 * A part of a script: yields tool calls, gets their results in the same order, and returns what it
 * made of them.
 */
export type PlannedCalls<T> = Generator<PlannedCall[], T, CallStep[]>;

/** The offline model's work on a request. Returns the answer, in Markdown. */
export type AnswerScript = PlannedCalls<string>;

/**
 * Something that the offline model can do; null if the request is about something else. A script is
 * replayed from its beginning for every call of the model, so it must depend on nothing but the
 * conversation.
 */
export type Skill = (request: string) => AnswerScript | null;

const noResult: CallStep = { tool: "", input: {}, text: "", failed: true, cleared: true };

/** One call; its result. */
export function* make(call: PlannedCall): PlannedCalls<CallStep> {
  const [step = noResult] = yield [call];
  return step;
}

/** An answer without any call. */
// eslint-disable-next-line require-yield
export function* answer(text: string): AnswerScript {
  return text;
}

type ScriptStep = { text: string; calls: readonly PlannedCall[] };

const cutOff =
  "The conversation was compacted while I was working on this, so I can't see which steps are done. Please check, and ask again for what is missing.";
const tooSmall =
  "The result of the same call was removed from the context twice: the window is too small for this. Use /compact, or ask for a smaller part.";

/**
 * Runs the script over the calls that were already made, up to the first one without a result: the
 * calls to make next, or the answer. The offline model needs no memory of its own this way.
 */
export function replay(
  script: AnswerScript,
  { steps, tools, cutOff: isCutOff }: OfflineConversation,
): ScriptStep {
  const take = takeResults(steps);
  let state = script.next();
  while (!state.done) {
    const taken = state.value.map((call) => ({ call, ...take(call) }));
    if (taken.some(({ stuck }) => stuck)) return { text: tooSmall, calls: [] };
    const missing = taken.flatMap(({ call, step }) => (step ? [] : [call]));
    const unknown = missing.find(({ tool }) => !tools.has(tool));
    if (unknown)
      return { text: `I need the tool ${unknown.tool}, which is not available here.`, calls: [] };
    if (isCutOff && missing.some(({ tool }) => hasEffects(tool)))
      return { text: cutOff, calls: [] };
    if (missing.length > 0) return { text: "", calls: missing };
    state = script.next(taken.flatMap(({ step }) => step ?? []));
  }
  return { text: state.value, calls: [] };
}

const toKey = (tool: string, input: PlannedCall["input"]): string =>
  `${tool} ${JSON.stringify(input)}`;

/**
 * Takes the results of equal calls in the order in which the calls were made. A cleared result is
 * skipped if it is needed and the call can be repeated.
 */
function takeResults(
  steps: readonly CallStep[],
): (call: PlannedCall) => { step?: CallStep; stuck?: true } {
  const waitingFor = Map.groupBy(steps, ({ tool, input }) => toKey(tool, input));
  return ({ tool, input }) => {
    const waiting = waitingFor.get(toKey(tool, input)) ?? [];
    const at = waiting.findIndex(({ cleared }) => !cleared || hasEffects(tool));
    if (at === -1) return waiting.length >= 2 ? { stuck: true } : {};
    const step = waiting[at];
    waiting.splice(0, at + 1);
    return step ? { step } : {};
  };
}
