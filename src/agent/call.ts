import type { Session } from "./session.ts";
import { type Clock, isoTime, sleep } from "../base/clock.ts";
import { errorMessage } from "../base/format.ts";
import type { ModelClient, ModelError } from "../model/client.ts";
import type { AssistantBlock } from "../protocol/block.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import type { Events } from "../protocol/event.ts";
import {
  type Delta,
  type ModelEvent,
  type ModelRequest,
  type ModelRules,
  noUsage,
  sentBy,
  type Usage,
} from "../protocol/model.ts";

/** How a call ended: with an answer in the log, or with an error that a retry would not fix. */
type CallEnd =
  | { is: "answered"; entry: EntryOf<"assistant">; detail: string | undefined }
  | { is: "stopped" }
  | { is: "failed"; error: CallError };

/** `of`: how many attempts are made, unless `isOver` ends them. */
type CallOptions = {
  clock: Clock;
  signal: AbortSignal;
  of: number;
  show: ShowDelta;
  isOver(): boolean;
};

/** Attempts of one call before it fails. */
export const maxAttempts = 8;

/**
 * One model call, retried while that can help. Everything received goes into the log: an answer
 * that failed as "failed" (kept, not sent), one that was stopped as "interrupted".
 */
export async function* callModel(
  session: Session,
  model: ModelClient,
  request: ModelRequest,
  { clock, signal, of, show, isOver }: CallOptions,
): Events<CallEnd> {
  const breaks: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const answer = new PartialAnswer();
    const base = { type: "assistant", model: request.model, sentAt: isoTime(clock) } as const;
    yield { type: "phase", phase: "waiting" };
    const { usedTokens: expected } = session.reading;
    const end = await streamAnswer(model, () => request, answer, signal, show);
    const { content } = answer;
    if ("stop" in end) {
      const { stop, detail, droppedThinking } = end.stop;
      const usage = believed(end.stop.usage, expected, session.rules);
      const dropped = droppedThinking ? { droppedThinking } : {};
      const entry = await session.append({ ...base, content, stop, usage, ...dropped });
      session.hasAnswer = true;
      yield { type: "entry", entry };
      return { is: "answered", entry: asAnswer(entry), detail };
    }
    const billed = answer.usage(session.rules);
    const usage = billed ?? noUsage;
    if (signal.aborted) {
      yield await session.record({ ...base, content, stop: "interrupted", usage });
      return { is: "stopped" };
    }
    if (content.length > 0 || billed)
      yield await session.record({ ...base, content, stop: "failed", usage });
    yield { type: "reset" };
    const error = explainRepeatedCutoff(end.error, breaks, answer.chars);
    if (isOver()) return { is: "failed", error };
    if (yield* waitToRetry(error, { attempt, of, clock, signal, hasAnswered: session.hasAnswer }))
      continue;
    return signal.aborted ? { is: "stopped" } : { is: "failed", error };
  }
}

/** A count of the prompt is wrong if it is this many times too large or too small. */
const doubt = 10;

/**
 * What a server counted, without counts that cannot be true: a prompt beyond the window that it has
 * just answered, or far from what was sent. The meter estimates then.
 */
export function believed(usage: Usage, expected: number, { windowTokens }: ModelRules): Usage {
  const sent = sentBy(usage);
  const isFar = expected > 1_000 && (sent > expected * doubt || sent < expected / doubt);
  const isWrong = sent > 0 && (sent > windowTokens * 1.25 || isFar);
  const output = usage.output <= windowTokens ? usage.output : 0;
  if (!isWrong) return output === usage.output ? usage : { ...usage, output };
  return { ...noUsage, output };
}

function asAnswer(entry: Entry): EntryOf<"assistant"> {
  if (entry.type !== "assistant") throw new Error(`Entry ${entry.id} is not an answer.`);
  return entry;
}

/** Takes each piece of an answer: passing it on through generators takes more CPU than showing it. */
export type ShowDelta = (delta: Delta) => void;

/** The parts of a `ModelError` that retries and repairs look at. */
export type CallError = Pick<ModelError, "kind" | "message" | "retryAfterMs" | "sizes" | "status">;

export type StreamEnd = { stop: Extract<ModelEvent, { type: "stop" }> } | { error: CallError };

/** One call: adds arriving blocks to `answer` and shows them. Returns errors, also those of `build`; never throws. */
export async function streamAnswer(
  model: ModelClient,
  build: () => ModelRequest,
  answer: PartialAnswer,
  signal: AbortSignal,
  show: ShowDelta,
): Promise<StreamEnd> {
  try {
    for await (const event of model.stream(build(), signal)) {
      if (event.type === "stop") return { stop: event };
      answer.add(event);
      if (event.type === "delta") show(event);
    }
    return { error: { kind: "busy", message: "The model's answer ended early; try again." } };
  } catch (error) {
    if (isModelError(error)) return { error };
    return { error: { kind: "invalid", message: errorMessage(error) } };
  }
}

/** The agent knows the class only by its type. */
export const isModelError = (error: unknown): error is ModelError =>
  error instanceof Error && error.name === "ModelError" && "kind" in error;

/** An answer while it streams in: its complete blocks, and the text of those still growing. */
export class PartialAnswer {
  readonly #blocks = new Map<number, AssistantBlock>();
  readonly #texts = new Map<number, string>();
  #usage: Usage | null = null;
  /** Characters received, of text, thoughts and inputs. */
  chars = 0;

  add(event: Exclude<ModelEvent, { type: "stop" }>): void {
    switch (event.type) {
      case "usage":
        this.#usage = event.usage;
        return;
      case "block":
        this.#texts.delete(event.index);
        // A text that turned out to be something else.
        if (event.block.type === "text" && event.block.text === "") return;
        this.#blocks.set(event.index, event.block);
        return;
      case "delta":
        this.chars += event.text.length;
        if (event.kind !== "text") return;
        this.#texts.set(event.index, (this.#texts.get(event.index) ?? "") + event.text);
    }
  }

  /**
   * The cost of a call that was interrupted, with its output estimated; null when nothing is known.
   */
  usage({ charsPerToken }: ModelRules): Usage | null {
    if (!this.#usage) return null;
    const output = Math.ceil(this.chars / charsPerToken.prose);
    return { ...this.#usage, output: Math.max(this.#usage.output, output) };
  }

  /**
   * The blocks worth keeping. Of an incomplete block only text: half a tool call cannot be run, and
   * half a thought has no signature.
   */
  get content(): AssistantBlock[] {
    const blocks: [number, AssistantBlock][] = [...this.#blocks];
    for (const [index, text] of this.#texts) {
      if (text.trim() !== "") blocks.push([index, { type: "text", text }]);
    }
    return blocks.sort(([a], [b]) => a - b).map(([, block]) => block);
  }
}

type Attempt = {
  attempt: number;
  of: number;
  clock: Clock;
  signal: AbortSignal;
  /** The server has answered before: if it cannot be reached now, it may be restarting. */
  hasAnswered: boolean;
};

/** Polls a restarting server every 3 s, for up to 30 s. */
const restartMs = 3_000;
const restartAttempts = 11;

/** A proxy that cuts off long answers does so at about the same place each time. */
const maxBreaks = 3;
const longChars = 1_000;

/**
 * Counts the places at which answers to one call broke off, in characters. The third break at the
 * same place becomes an error that says so: another attempt would end there as well.
 */
function explainRepeatedCutoff(error: CallError, breaks: number[], chars: number): CallError {
  const isBreak = isRetryable(error) && error.status === undefined && chars >= longChars;
  if (!isBreak) return error;
  breaks.push(chars);
  const last = breaks.slice(-maxBreaks);
  const isSame = last.length === maxBreaks && Math.max(...last) <= Math.min(...last) * 1.1;
  if (!isSame) return error;
  const message =
    `${error.message} The answer broke off ${maxBreaks} times at the same place, after about ` +
    `${chars} characters: something between here and the model may cut off long answers.`;
  return { kind: "invalid", message };
}

/** The same request may succeed later. */
const isRetryable = ({ kind }: CallError): boolean => kind === "busy" || kind === "stall";

/** Waits before the next attempt. Returns false when there should be none. */
export async function* waitToRetry(
  error: CallError,
  { attempt, of: usual, clock, signal, hasAnswered }: Attempt,
): Events<boolean> {
  const restarts = error.kind === "unreachable" && hasAnswered;
  const of = restarts ? restartAttempts : usual;
  if (!(restarts || isRetryable(error)) || attempt >= of || signal.aborted) return false;
  const waitMs = restarts ? restartMs : retryDelayMs(attempt, error, clock.random());
  yield { type: "retry", attempt, of, waitMs, reason: error.message };
  await sleep(clock, waitMs, signal);
  return !signal.aborted;
}

/**
 * How long to wait after attempt `attempt`, in milliseconds: what the server asked for, else
 * 1, 2, 4 ... 32 seconds, less up to a quarter so that clients do not all return at once.
 */
function retryDelayMs(
  attempt: number,
  { retryAfterMs }: Pick<CallError, "retryAfterMs">,
  random: number,
): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, 10 * 60_000);
  return Math.round(Math.min(1000 * 2 ** (attempt - 1), 32_000) * (1 - random / 4));
}
