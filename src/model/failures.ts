/** Failures of a call, whichever client made it: a kind to act on and a sentence for the user. */

import { takeStart } from "../base/clip.ts";
import { connectionAdvice, listCauses } from "../base/connection-faults.ts";
import { errorCode } from "../base/guards.ts";
import { counted, errorMessage } from "../base/format.ts";
import { z } from "zod";
import { ModelError, type ModelErrorKind } from "./client.ts";

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
  /** The address that was called, for the screen. */
  url?: string;
  cause: unknown;
};

/** The server answered with a refusal. */
export function refused(refusal: ServerRefusal, context: CallContext): ModelError {
  const { status, headers, cause } = refusal;
  // Classified before the key is removed: a short key may be part of any word.
  const wait = headers === null ? null : retryAfterMs(headers, context.nowMs);
  const kind = classify(refusal, wait);
  const sizes = kind === "too-long" ? (refusal.sizes ?? parseSizes(refusal.message)) : null;
  return new ModelError(kind, sentence(kind, refusal, context, wait), {
    cause,
    status,
    retryAfterMs: wait ?? undefined,
    sizes: sizes ?? undefined,
    said: refusal.message,
  });
}

/** Bun's advice is meant for a browser; ours replaces it. */
const bunsGuess = /\. Is the computer able to access the url\?$/;

const noConnection =
  /ConnectionRefused|FailedToOpenSocket|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|DNSException|unable to connect|getaddrinfo/i;

/** No connection was made, so an immediate retry is unlikely to help. */
const isUnreachable = (error: unknown): boolean =>
  listCauses(error).some((cause) => noConnection.test(`${errorCode(cause)} ${cause.message}`));

/** The innermost cause, in a few words. */
export function explainCause(error: unknown): string {
  const inner = listCauses(error).at(-1) ?? error;
  if (inner == null) return "connection lost";
  return errorMessage(inner).replace(/\s+/g, " ").trim() || "no reason given";
}

/** No answer: there was no connection, or it was lost before the answer began. */
export function unreachable(cause: unknown, { host, secret }: CallContext): ModelError {
  const reason = quote(explainCause(cause).replace(bunsGuess, ""), secret);
  const advice = connectionAdvice(cause);
  if (advice !== null)
    return new ModelError("invalid", `No connection to ${host} (${reason}). ${advice}`, { cause });
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

/** A sentence about an answer that ended for a reason which may mean anything. */
export const unknownReason = (reason: string): string =>
  `The server ended the answer with “${quote(reason, null)}”, an unrecognized reason, so the answer may be incomplete. Send “continue” to resume.`;

export const stopped = (cause?: unknown): ModelError =>
  new ModelError("aborted", "The call was stopped.", { cause });

export const stalled = (ms: number, { host }: CallContext, cause?: unknown): ModelError =>
  new ModelError("stall", `${host} sent nothing for ${Math.round(ms / 1_000)} s.`, { cause });

const busyTypes = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", ""];
const authTypes = ["authentication_error", "permission_error", "billing_error"];

/** The server knows the address, but not the model, or none that takes tools. */
export const aboutModel = /\bmodels?\b|deployment|no endpoints found/i;

/** Longest wait that is retried, in milliseconds. */
const tooLongToWaitMs = 30 * 60_000;

/** The quota is used up, and not only that of this minute. */
function isSpent({ type, message, status }: ServerRefusal, waitMs: number | null): boolean {
  if (status !== 429 && status !== 403 && status !== undefined) return false;
  if (waitMs !== null) return waitMs > tooLongToWaitMs;
  if (/retry in|try again in|per[ _-]?minute|requests? per|tokens? per min/i.test(message))
    return false;
  return spent.test(type) || spent.test(message);
}

const spent =
  /insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your (?:current|monthly|account) quota|exceeded_current_quota|quota (?:is |has been )?(?:exceeded|exhausted|used up)|out of credits|credit balance|billing_hard_limit|usage limit|arrears|余额不足/i;

function classify(refusal: ServerRefusal, waitMs: number | null): ModelErrorKind {
  const { status, type, message, headers } = refusal;
  if (isSpent(refusal, waitMs)) return "auth";
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
  refusal: ServerRefusal,
  { host, model, keyName, secret }: CallContext,
  waitMs: number | null,
): string {
  const { status, type, message, url } = refusal;
  const said = quote(message, secret);
  const code = status ?? (type || "error");
  switch (kind) {
    case "too-long":
      if (status === 413 && !isTooLong(message))
        return `${host}, or a proxy before it, takes no request of this size (413: "${said}"). Compact the conversation, or raise that limit.`;
      return `The prompt is too long for ${model} at ${host} ("${said}"). Compact the conversation.`;
    case "auth":
      if (isSpent(refusal, waitMs)) {
        const hours = Math.max(1, Math.round((waitMs ?? 0) / 3_600_000));
        const until = waitMs === null ? "" : `, or wait about ${counted(hours, "hour")}`;
        return `The quota at ${host} is used up (${code}: "${said}"). Check your plan and balance${until}, or choose another model.`;
      }
      if (status === 402 || type === "billing_error")
        return `${host} refused the call for billing reasons ("${said}"). Check your balance.`;
      if (status === 403 || type === "permission_error")
        return `The key is not authorized for ${model} at ${host} ("${said}"). Choose another model or key.`;
      return `${host} refused the key ("${said}"). Set ${keyName} to a valid one, or enter one in /connect.`;
    case "busy":
      if (status === 429) return `${host} is limiting the rate of requests (429: "${said}").`;
      return `${host} cannot answer at the moment (${code}: "${said}").`;
    default:
      if ((status === 404 || status === 405) && url !== undefined && !aboutModel.test(message))
        return `There is no ${status === 404 ? "such address" : "call"} at ${url} (${status}: "${said}"). Check the server's address (baseUrl, or ${keyName.startsWith("ANTHROPIC") ? "ANTHROPIC" : "OPENAI"}_BASE_URL).`;
      if (status === 404)
        return `${host} does not know ${model} ("${said}"). Choose another with --model.`;
      return `${host} refused the request to ${model} (${code}: "${said}").`;
  }
}

/**
 * A server's words, ready to be quoted in an error: without the key, without control characters,
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

type Sizes = { tokens: number; limit: number };

const count = z.number().int().positive();
const llamaCppError = z.looseObject({ n_prompt_tokens: count, n_ctx: count });

/** The sizes that llama.cpp adds to an error as numbers: in older versions, only there. */
export function readSizes(error: unknown): Sizes | null {
  const { data } = llamaCppError.safeParse(error);
  return data ? { tokens: data.n_prompt_tokens, limit: data.n_ctx } : null;
}

/** A named group for a whole number, never for part of its digits. */
const completeNumber = String.raw`(?<![\d,.])(?<$1>\d[\d,]*)(?![\d,])`;

/**
 * How servers name the tokens of the prompt and of the window. `<over>`: how many are too many;
 * `<room>`: what the answer may take, which is not part of the prompt.
 */
const wordings = [
  // Messages API
  "prompt is too long:? <tokens> tokens? > <limit>",
  "exceed context limit: <tokens> \\+ <room> > <limit>",
  // llama.cpp
  "request \\(<tokens> tokens\\) exceeds the available context size \\(<limit> tokens",
  "requested tokens \\(<tokens>\\) exceed context window of <limit>",
  "<tokens> tokens,? max(?:imum)? context is <limit>",
  // vLLM, SGLang, Mistral
  "prompt \\(length <tokens>\\) is longer than the maximum model length of <limit>",
  "input \\(<tokens> tokens\\) is longer than the model's context length \\(<limit> tokens",
  "prompt contains <tokens> tokens.*? model with <limit> maximum context length",
  "passed <tokens> input tokens and requested <room> output tokens" +
    ".*? context length is only <limit> tokens",
  // Gemini, GitHub Copilot, MLX, Cerebras
  "input token count \\(?<tokens>\\)? exceeds the maximum number of tokens allowed \\(?<limit>",
  "prompt token count of <tokens> exceeds the limit of <limit>",
  "prompt length <tokens> exceeds model context window <limit>",
  "current length is <tokens> while limit is <limit>",
  // Text Generation Inference, Together, xAI
  "`inputs`.*? must (?:be <=|have less than) <limit>(?: tokens)?\\. Given: <tokens>",
  "maximum prompt length is <limit> but the request contains <tokens> tokens",
  // Cohere
  "too many tokens: size limit exceeded by <over> tokens.*? limit for this model is <limit> tokens",
  // vLLM and OpenAI: the tokens may include the room for the answer.
  "maximum context length is <limit> tokens.*?(?:requested|resulted in|contains?)[^\\d]*<tokens>",
  "maximum model length of <limit>.*?<tokens>",
  // Moonshot, NVIDIA NIM
  "exceeded model token limit:? <limit> \\(requested:? <tokens>",
  "(?:input|prompt) length:? \\(?<tokens>\\)? exceeds (?:the |model's )?max\\w* (?:allowed )?(?:input |token |context )*(?:length|size|limit)?:? \\(?<limit>",
  // LM Studio
  "keep the first <tokens> tokens when .*?context length of only <limit>",
].map((words) => new RegExp(words.replace(/<(\w+)>/g, completeNumber), "i"));

const unsized =
  /prompt (?:is )?too long|input is too long|context[_ ]?(?:length|window|size)[_ ]?(?:is |has been )?exceeded|reached context length|exceed(?:s|ed)? (?:the )?(?:model(?:'s)? |available |max(?:imum)? )*(?:context|model length)|maximum context length|exceed context limit|context the overflows|greater than the context length|request_too_large|prompt exceeds max|exceeded model token limit|context window exceeds|token limit exceeded|exceeds? (?:the )?(?:token|context|input) limit|exceeds? (?:the )?max(?:imum)? (?:allowed )?(?:input|prompt|context|token|sequence)|range of input length should be|reduce the length of (?:the |your )?(?:messages|prompt|input)/i;

/** Whether the server says that the prompt is longer than its window. */
const isTooLong = (said: string): boolean =>
  unsized.test(said) || wordings.some((wording) => wording.test(said));

/** Tokens of the prompt and of the window, when the server reports both. */
function parseSizes(said: string): Sizes | null {
  const found = wordings.map((wording) => wording.exec(said)?.groups).find(Boolean);
  if (!found) return null;
  const { tokens, limit, over } = found;
  return {
    tokens: tokens ? parseCount(tokens) : parseCount(limit) + parseCount(over),
    limit: parseCount(limit),
  };
}

const parseCount = (digits = "0"): number => Number(digits.replaceAll(",", ""));
