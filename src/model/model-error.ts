/** Why a call failed, in the few kinds that a caller treats differently. */

export type ModelErrorKind =
  /** 408, 409, 429, 5xx, an overloaded error in mid-stream, a lost connection: retry. */
  | "busy"
  /** The stream went silent: retry. */
  | "stall"
  /** The prompt is longer than the window: compact, then retry. */
  | "too-long"
  /** No key, a wrong key, or a key without access to the model. */
  | "auth"
  /** No connection to the address. */
  | "unreachable"
  /** The request was refused, or the answer breaks the protocol. */
  | "invalid"
  | "aborted";

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status?: number | undefined;
  /** The delay that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Sizes of a prompt that is too long, in tokens, when the server reports both. */
  readonly sizes?: { tokens: number; limit: number } | undefined;

  constructor(
    kind: ModelErrorKind,
    message: string,
    more: Partial<Pick<ModelError, "status" | "retryAfterMs" | "sizes" | "cause">> = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ModelError";
    this.kind = kind;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
    this.sizes = more.sizes;
  }
}
