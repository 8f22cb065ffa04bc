/** What went wrong with a call, whichever SDK made it, as a `ModelError` with a clear sentence. */

import { takeStart } from "../base/clip.ts";
import { errorCode } from "../base/guards.ts";
import { messageOf } from "../base/in-words.ts";
import { ModelError, type ModelErrorKind } from "./model-error.ts";
import { isTooLong, sizesOf, type Sizes } from "./too-long.ts";

export type CallContext = {
  model: string;
  host: string;
  /** Never shown. */
  secret: string | null;
  /** The environment variable that holds the key. */
  keyName: string;
  nowMs: number;
};

/** A refusal as the server sent it; without a status when it came in the middle of a stream. */
type ServerRefusal = {
  status: number | undefined;
  /** The API's own name for it, such as "overloaded_error". */
  type: string;
  message: string;
  /** Sizes of the prompt and the window, if they are not in the message. */
  sizes?: Sizes | null;
  headers: Headers | null;
  cause: unknown;
};

/** The server answered with a refusal. */
export function refused(refusal: ServerRefusal, context: CallContext): ModelError {
  const { status, headers, cause } = refusal;
  // Classified before the key is removed: a short key may be part of any word.
  const kind = kindOf(refusal);
  const sizes = kind === "too-long" ? (refusal.sizes ?? sizesOf(refusal.message)) : null;
  const wait = headers === null ? null : retryAfterMs(headers, context.nowMs);
  return new ModelError(kind, sentence(kind, refusal, context), {
    cause,
    status,
    retryAfterMs: wait ?? undefined,
    sizes: sizes ?? undefined,
  });
}

/** Bun's advice is meant for a browser; ours replaces it. */
const bunsGuess = /\. Is the computer able to access the url\?$/;

const unreachableCodes = new Set([
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "DNSException",
]);

/** No connection was made, so an immediate retry is unlikely to help. */
export const isUnreachable = (error: unknown): boolean =>
  causesOf(error).some(
    (one) =>
      unreachableCodes.has(errorCode(one)) ||
      /unable to connect|ECONNREFUSED|ENOTFOUND|getaddrinfo/i.test(one.message),
  );

/** The innermost cause, in a few words. */
export function reasonOf(error: unknown): string {
  const inner = causesOf(error).at(-1) ?? error;
  if (inner == null) return "connection lost";
  return messageOf(inner).replace(/\s+/g, " ").trim() || "no reason given";
}

/** An error of `fetch` and its causes: they differ by runtime and nest several levels deep. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 6; at = at.cause) causes.push(at);
  return causes;
}

/** No answer: there was no connection, or it was lost before the answer began. */
export function unreachable(cause: unknown, { host, secret }: CallContext): ModelError {
  const reason = quote(reasonOf(cause).replace(bunsGuess, ""), secret);
  return isUnreachable(cause)
    ? new ModelError(
        "unreachable",
        `Cannot reach ${host} (${reason}). Check the network and the server's address.`,
        { cause },
      )
    : new ModelError("busy", `The connection to ${host} was lost (${reason}).`, { cause });
}

/** The connection was lost in the middle of an answer. */
export function interrupted(why: string, { host, secret }: CallContext, cause?: unknown) {
  const reason = quote(why, secret);
  return new ModelError("busy", `The answer from ${host} was interrupted (${reason}).`, { cause });
}

/** The answer breaks the protocol, so that a retry would most likely bring the same. */
export const malformed = (what: string, { host }: CallContext): ModelError =>
  new ModelError(
    "invalid",
    `${host} ${what}. Check that it is the right server and the right kind of API.`,
  );

export const stopped = (cause?: unknown): ModelError =>
  new ModelError("aborted", "The call was stopped.", { cause });

export const stalled = (ms: number, { host }: CallContext, cause?: unknown): ModelError =>
  new ModelError("stall", `${host} sent nothing for ${Math.round(ms / 1_000)} s.`, { cause });

const busyTypes = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", ""];
const authTypes = ["authentication_error", "permission_error", "billing_error"];

function kindOf({ status, type, message, headers }: ServerRefusal): ModelErrorKind {
  if (isTooLong(message) || type === "context_length_exceeded" || status === 413) return "too-long";
  if (status === undefined) {
    if (authTypes.includes(type)) return "auth";
    return busyTypes.includes(type) ||
      /overloaded|server_error|rate_limit|timeout|unavailable/.test(type)
      ? "busy"
      : "invalid";
  }
  if (status === 401 || status === 402 || status === 403) return "auth";
  const passing = status === 408 || status === 409 || status === 429 || status >= 500;
  return passing && headers?.get("x-should-retry") !== "false" ? "busy" : "invalid";
}

function sentence(
  kind: ModelErrorKind,
  { status, type, message }: ServerRefusal,
  { host, model, keyName, secret }: CallContext,
): string {
  const said = quote(message, secret);
  switch (kind) {
    case "too-long":
      return `The prompt is too long for ${model} at ${host} ("${said}"). Compact the conversation.`;
    case "auth":
      if (status === 402 || type === "billing_error")
        return `${host} refused the call for billing reasons ("${said}"). Check your balance.`;
      if (status === 403 || type === "permission_error")
        return `The key is not authorized for ${model} at ${host} ("${said}"). Choose another model or key.`;
      return `${host} refused the key ("${said}"). Set ${keyName} to a valid one.`;
    case "busy":
      if (status === 429) return `${host} is limiting the rate of requests (429: "${said}").`;
      return `${host} cannot answer at the moment (${status ?? type}: "${said}").`;
    default:
      if (status === 404)
        return `${host} does not know ${model} ("${said}"). Choose another with --model.`;
      return `${host} refused the request to ${model} (${status ?? type}: "${said}").`;
  }
}

/**
 * What a server said, ready to be quoted in an error: without the key, without control characters,
 * and short enough to read.
 */
export function quote(said: string, secret: string | null): string {
  const hidden = secret === null || secret === "" ? said : said.replaceAll(secret, "[key]");
  return takeStart(hidden.replace(/\p{Cc}+/gu, " ").trim(), 500).toWellFormed();
}

/**
 * The delay that a server asks for, in milliseconds: from `retry-after-ms`, or from `retry-after` in
 * seconds or as a date. Null when there is none, or it makes no sense.
 */
function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const ms = number(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const asked = headers.get("retry-after");
  const seconds = number(asked);
  if (seconds !== null) return Math.ceil(seconds * 1_000);
  const date = Date.parse(asked ?? "");
  // By the server's own clock if it sends the time: ours may be wrong.
  const sentMs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? null : Math.max(0, date - (Number.isNaN(sentMs) ? nowMs : sentMs));
}

function number(text: string | null): number | null {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return null;
  return Number(text);
}
