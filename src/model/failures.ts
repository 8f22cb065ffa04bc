/** What went wrong with a call, whatever SDK made it, as a `ModelError` with a sentence to read. */

import { isUnreachable, reasonOf } from "./connection.ts";
import { ModelError, type ModelErrorKind } from "./model-error.ts";
import { quote } from "./quote.ts";
import { retryAfterMs } from "./retry-after.ts";
import { isTooLong, sizesOf } from "./too-long.ts";

export type CallContext = {
  model: string;
  host: string;
  /** Never to be shown. */
  secret: string | null;
  /** The variable that holds the key. */
  keyName: string;
  nowMs: number;
};

/** A refusal as the server sent it; no status when it came in the middle of a stream. */
export type ServerRefusal = {
  status: number | undefined;
  /** The API's own name for it, such as "overloaded_error". */
  type: string;
  said: string;
  headers: Headers | null;
  cause: unknown;
};

/** The server answered, with a refusal. */
export function refused(refusal: ServerRefusal, where: CallContext): ModelError {
  const { status, headers, cause } = refusal;
  const said = quote(refusal.said, where.secret);
  const kind = kindOf({ ...refusal, said });
  const sizes = kind === "too-long" ? sizesOf(said) : null;
  const wait = headers === null ? null : retryAfterMs(headers, where.nowMs);
  return new ModelError(kind, sentence(kind, { ...refusal, said }, where), {
    cause,
    ...(status !== undefined && { status }),
    ...(wait !== null && { retryAfterMs: wait }),
    ...(sizes !== null && { sizes }),
  });
}

/** No answer came: nobody is there, or the line went dead before it. */
export function unreachable(cause: unknown, where: CallContext): ModelError {
  const reason = quote(reasonOf(cause), where.secret);
  return isUnreachable(cause)
    ? new ModelError(
        "unreachable",
        `Nobody answers at ${where.host} (${reason}); check the network and the server's address.`,
        { cause },
      )
    : new ModelError("busy", `The connection to ${where.host} was lost (${reason}); try again.`, {
        cause,
      });
}

/** The answer broke off, or is not what the protocol allows. */
export function broken(what: string, where: CallContext, cause?: unknown): ModelError {
  return new ModelError("busy", `${where.host} ${quote(what, where.secret)}; try again.`, {
    cause,
  });
}

export const stopped = (cause?: unknown): ModelError =>
  new ModelError("aborted", "The call was stopped.", { cause });

export const stalled = (ms: number, where: CallContext, cause?: unknown): ModelError =>
  new ModelError(
    "stall",
    `${where.host} sent nothing for ${Math.round(ms / 1_000)} s; try again.`,
    {
      cause,
    },
  );

const busyTypes = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", ""];
const authTypes = ["authentication_error", "permission_error", "billing_error"];

function kindOf({ status, type, said, headers }: ServerRefusal): ModelErrorKind {
  if (isTooLong(said) || type === "context_length_exceeded" || status === 413) return "too-long";
  if (status === undefined) {
    if (authTypes.includes(type)) return "auth";
    return busyTypes.includes(type) || /overloaded|server_error/.test(type) ? "busy" : "invalid";
  }
  if (status === 401 || status === 402 || status === 403) return "auth";
  const passing = status === 408 || status === 409 || status === 429 || status >= 500;
  return passing && headers?.get("x-should-retry") !== "false" ? "busy" : "invalid";
}

function sentence(
  kind: ModelErrorKind,
  { status, type, said }: ServerRefusal,
  { host, model, keyName }: CallContext,
): string {
  switch (kind) {
    case "too-long":
      return `The prompt is too long for ${model} at ${host} ("${said}"); compact the conversation.`;
    case "auth":
      if (status === 402 || type === "billing_error")
        return `${host} refused the call for billing reasons ("${said}"); see to the account's credit.`;
      if (status === 403 || type === "permission_error")
        return `The key has no right to use ${model} at ${host} ("${said}"); choose another model or key.`;
      return `${host} refused the key ("${said}"); set ${keyName} to a valid one.`;
    case "busy":
      if (status === 429) return `${host} asks us to slow down (429: "${said}"); try again later.`;
      return `${host} cannot answer at the moment (${status ?? type}: "${said}"); try again.`;
    default:
      if (status === 404)
        return `${host} does not know ${model} ("${said}"); choose another with --model.`;
      return `${host} refused the request to ${model} (${status ?? type}: "${said}").`;
  }
}
