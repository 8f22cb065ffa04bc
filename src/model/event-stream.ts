/** Parses the event stream of any API, and errors sent in place of events. */

import { createParser } from "eventsource-parser";
import { z } from "zod";
import { isRecord, parseJson } from "../base/guards.ts";
import {
  type CallContext,
  interrupted,
  malformed,
  type ModelError,
  readSizes,
  refused,
} from "./failures.ts";

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
export async function* readEventStream(
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
export const isLast = (part: StreamPart): boolean =>
  part.is === "event" && part.data.startsWith("[DONE]");

/** `api`: the name of the API. Throws `ModelError`: the server reports an error, or sent no JSON. */
export function parsePart(part: StreamPart, context: CallContext, api: string): unknown {
  const raw = parseJson(part.is === "event" ? part.data : part.text);
  const refusal = readStreamError(raw, part.is === "event" && part.name === "error", context);
  if (refusal) throw refusal;
  if (raw !== undefined) return raw;
  if (part.is === "event") throw interrupted("an event that is not JSON", context);
  throw notAnAnswer(part.text, context, api);
}

export const notAnAnswer = (text: string, context: CallContext, api: string): ModelError =>
  malformed(
    `answered with ${text.trim().startsWith("<") ? "a web page" : "something"} that is no answer of the ${api}`,
    context,
  );
