/**
 * One POST to a server of OpenAI's kind: the events that it answers with, or the error that it
 * reports.
 */

import { createParser } from "eventsource-parser";
import { z } from "zod";
import { isRecord, parseJson } from "../../base/guards.ts";
import { errorMessage } from "../../base/in-words.ts";
import {
  type CallContext,
  ModelError,
  explainCause,
  interrupted,
  readSizes,
  refused,
  unreachable,
} from "../failures.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import type { Fetch } from "../network.ts";

/** `fetch` is the safe one; `headers` hold the key. */
export type Endpoint = { url: string; headers: Record<string, string>; fetch: Fetch };

/** The answer once its head has arrived. Throws `ModelError`, or what `signal` was aborted with. */
export async function post(
  { url, headers, fetch }: Endpoint,
  body: object,
  signal: AbortSignal,
  context: CallContext,
): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (error instanceof ModelError || signal.aborted) throw error;
    throw unreachable(error, context);
  });
  if (response.ok) return response;
  const text = await response.text().catch(errorMessage);
  const raw = parseJson(text);
  const { type = "", message, sizes = null } = readError(isRecord(raw) ? raw["error"] : null) ?? {};
  const { status } = response;
  const said = message ?? (text.trim() || response.statusText || "no reason given");
  const { origin, pathname } = new URL(url);
  const called = `${origin}${pathname}`;
  const refusal = { status, type, message: said, sizes, headers: response.headers, url: called };
  throw refused({ ...refusal, cause: raw ?? text }, context);
}

/** Turns anything that a call threw into a `ModelError`. */
export const toModelError = async (error: unknown, context: CallContext): Promise<ModelError> =>
  error instanceof ModelError ? error : interrupted(explainCause(error), context, error);

/** Servers disagree on where in the body the error message is. */
const errorBody = z.union([
  z.string().transform((message) => ({ message, type: "", code: "" })),
  z.looseObject({
    message: z.string().optional(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
]);

function readError(body: unknown) {
  const found = errorBody.safeParse(body).data;
  if (!found) return null;
  const code = typeof found.code === "string" ? found.code : "";
  return { type: code || (found.type ?? ""), message: found.message, sizes: readSizes(found) };
}

/**
 * The error that a server reports after it has begun to answer; null: none. The status that it would
 * have had is often its code. `isError`: the event says that it is one.
 */
export function readStreamError(
  raw: unknown,
  isError: boolean,
  context: CallContext,
): ModelError | null {
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

export type StreamPart =
  | { is: "event"; name: string; data: string }
  /** A body without events, kept so that the caller can tell what it is instead. */
  | { is: "document"; text: string };

/** Yields each event that has data, as it arrives. */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
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
  for await (const bytes of body) {
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

/** An answer that is growing, in either API. */
export type OpenAnswer = {
  /** Takes an event; null: it is not one of this API. */
  take(raw: unknown): Iterable<ModelEvent> | null;
  /** The server says that the answer is over: some leave out the reason. */
  ended(): void;
  /** A reason to stop arrived, or the stream ended as it should with something in it. */
  isComplete(): boolean;
  /** The reason why the answer ended has arrived, and what it used. */
  hasUsage(): boolean;
  /** The server says that it could not finish. */
  hasFailed(): boolean;
  /** The blocks that are left, and how the answer ended. Call it when the stream is over. */
  end(): Iterable<ModelEvent>;
};

/**
 * Ids of tool calls, in the form that a server accepts. Every server accepts its own; a session
 * that was started elsewhere may have others. Gemini's gateways put a signature into them, so ids
 * are sent unchanged until a server refuses them.
 */

const outsideAlphabet = /[^a-zA-Z0-9_-]/;
const givenMark = "given_";

/**
 * An id as the session keeps it, in the alphabet of the Messages API. One in another alphabet would be
 * replaced there, and the signature in it lost; this one can be turned back.
 */
export const keptId = (given: string): string =>
  outsideAlphabet.test(given) ? givenMark + Buffer.from(given).toString("base64url") : given;

/** The id as the server gave it. */
export const givenId = (kept: string): string =>
  kept.startsWith(givenMark)
    ? Buffer.from(kept.slice(givenMark.length), "base64url").toString()
    : kept;

const usualMost = 40;
/** Servers that limit them take at least this many characters. */
const least = 9;

/** The length that a refusal asks for, in characters; null: it is not about ids of calls. */
export function readIdLimit(refusal: string): number | null {
  if (!/tool[_ ]?calls?\b.{0,40}\bid\b|tool_call_id/i.test(refusal)) return null;
  const said = /(?:maximum length|length of|at most)\D{0,10}(\d{1,4})|\{\d*,?(\d{1,4})\}/i.exec(
    refusal,
  );
  // Others say only that it is invalid or unknown, which shorter ids would not fix.
  if (!said) return /too long|invalid|pattern|must be/i.test(refusal) ? usualMost : null;
  return Math.max(least, Math.min(usualMost, Number(said[1] ?? said[2])));
}

/** Letters and digits, as many as asked for, and always the same for an id. */
export const shortId = (id: string, length: number): string =>
  Bun.CryptoHasher.hash("sha256", id, "hex").slice(0, length);
