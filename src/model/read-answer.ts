/** Reads a streamed answer, for all APIs: its events, and errors sent in place of events. */

import { createParser } from "eventsource-parser";
import { z } from "zod";
import { isRecord, parseJson } from "../base/guards.ts";
import type { ModelEvent, Usage } from "../protocol/model.ts";
import { ModelError } from "./client.ts";
import { type CallContext, interrupted, malformed, readSizes, refused } from "./failures.ts";
import { lingerMs, type Watchdog } from "./watchdog.ts";

/** Accumulates a streamed answer. */
export type GrowingAnswer = {
  /** Takes an event; null: not one of this API. */
  take(raw: unknown): Iterable<ModelEvent> | "ping" | null;
  /** The stream has ended; some servers send no finish reason. */
  ended(): void;
  /** The last event of this API has arrived. */
  isEnded(): boolean;
  /** A finish reason has arrived, or the stream ended regularly with some content. */
  isComplete(): boolean;
  /** The finish reason and the usage have arrived. */
  hasUsage(): boolean;
  /** The server reports that it could not finish. */
  hasFailed(): boolean;
  /** The remaining blocks and the stop, after the end of the stream. */
  end(): Iterable<ModelEvent>;
};

/** Maximum wait for the usage after a complete answer. */
const usagePatienceMs = 5_000;

/** `api`: its name. Throws `ModelError`, or what `watchdog` was aborted with. */
export async function* readAnswer(
  { body }: Response,
  answer: GrowingAnswer,
  { watchdog, context, api }: { watchdog: Watchdog; context: CallContext; api: string },
): AsyncGenerator<ModelEvent, void> {
  let isDone = false;
  try {
    for await (const part of readEventStream(body)) {
      isDone ||= isLast(part) || answer.isEnded();
      if (isDone) answer.ended();
      else {
        const events = answer.take(parsePart(part, context, api));
        if (events === null && part.is === "document") throw notAnAnswer(part.text, context, api);
        if (events === null)
          throw malformed(`sent an event that is not part of the ${api}`, context);
        if (events === "ping") continue;
        watchdog.progressed();
        yield* events;
      }
      if (isDone || answer.isComplete())
        watchdog.linger(isDone || answer.hasUsage() ? lingerMs : usagePatienceMs);
    }
  } catch (error) {
    // Missing usage alone is not an error.
    const isOver = isDone || answer.isComplete();
    if (watchdog.signal.aborted || !isOver || error instanceof ModelError) throw error;
  }
  watchdog.signal.throwIfAborted();
  if (answer.hasFailed()) throw interrupted("it reported an error", context);
  if (!answer.isComplete()) throw interrupted("connection lost", context);
  yield* answer.end();
}

/** Servers disagree on where in the body the error message is. */
const errorBody = z.union([
  z.string().transform((message) => ({ message, type: "", code: "" })),
  z.looseObject({
    message: z.string().optional(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
]);

export function readError(body: unknown) {
  const found = errorBody.safeParse(body).data;
  if (!found) return null;
  const code = typeof found.code === "string" ? found.code : "";
  return { type: code || (found.type ?? ""), message: found.message, sizes: readSizes(found) };
}

/**
 * An error reported in mid-stream; null: none. Its code often is an HTTP status. `isError`: the event is marked
 * as an error.
 */
function readStreamError(raw: unknown, isError: boolean, context: CallContext): ModelError | null {
  if (!isRecord(raw)) return null;
  const isBare = raw["choices"] === undefined && (isError || raw["object"] === "error");
  const { response } = raw;
  const failed = isRecord(response) && raw["type"] === "response.failed" ? response["error"] : null;
  const said = raw["error"] ?? failed ?? (isBare ? raw : null);
  if (said === null) return null;
  const { type = "", message, sizes = null } = readError(said) ?? {};
  const code = isRecord(said) ? Number(said["code"]) : Number.NaN;
  const status = Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
  const refusal = { status, type, message: message ?? "no reason given", sizes, headers: null };
  return refused({ ...refusal, cause: raw }, context);
}

type StreamPart =
  | { is: "event"; name: string; data: string }
  /** A body without events, returned so that the caller can identify it. */
  | { is: "document"; text: string };

/** Yields each event that has data, as it arrives. */
async function* readEventStream(
  body: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<StreamPart, void> {
  const decoder = new TextDecoder();
  let events: StreamPart[] = [];
  const parser = createParser({
    onEvent: ({ event = "", data }) => {
      if (data.trim() !== "") events.push({ is: "event", name: event, data });
    },
  });
  function take(text: string): StreamPart[] {
    events = [];
    parser.feed(text);
    return events;
  }
  let start = "";
  let isStream: boolean | null = null;
  for await (const bytes of body ?? []) {
    const text = decoder.decode(bytes, { stream: true });
    if (isStream) {
      yield* take(text);
      continue;
    }
    start += text;
    isStream ??= start.trim() === "" ? null : !/^\s*[[{<]/.test(start);
    if (isStream) yield* take(start);
  }
  if (isStream === false) yield { is: "document", text: start + decoder.decode() };
  // Some servers leave out the last line break.
  else yield* take(`${decoder.decode()}\n\n`);
}

/** End marker of the stream. */
const isLast = (part: StreamPart): boolean => part.is === "event" && part.data.startsWith("[DONE]");

/** `api`: the name of the API. Throws `ModelError`: the server reports an error, or sent no JSON. */
function parsePart(part: StreamPart, context: CallContext, api: string): unknown {
  const raw = parseJson(part.is === "event" ? part.data : part.text);
  const refusal = readStreamError(raw, part.is === "event" && part.name === "error", context);
  if (refusal) throw refusal;
  if (raw !== undefined) return raw;
  if (part.is === "event") throw interrupted("an event that is not JSON", context);
  throw notAnAnswer(part.text, context, api);
}

const notAnAnswer = (text: string, context: CallContext, api: string): ModelError =>
  malformed(
    `answered with ${text.trim().startsWith("<") ? "a web page" : "something"} that is no answer of the ${api}`,
    context,
  );

/** For a call without an id of its own. */
export const newId = (): string => `call_${crypto.randomUUID()}`;

/** Counted tokens. Lenient: some servers send text, fractions or invalid numbers. */
export const count = z.coerce
  .number()
  .nonnegative()
  .finite()
  .transform(Math.round)
  .nullish()
  .catch(null);

/** In OpenAI's APIs, the prompt includes cached tokens. */
export function usageOf(
  prompt: number | null | undefined,
  cached: number | null | undefined,
  output: number | null | undefined,
): Usage {
  const cacheRead = Math.min(cached ?? 0, prompt ?? 0);
  return { input: (prompt ?? 0) - cacheRead, cacheRead, cacheWrite: 0, output: output ?? 0 };
}
