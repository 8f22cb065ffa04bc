/** Why a call failed, in the few kinds that a caller treats differently. */

export type ModelErrorKind =
  /** 408, 409, 429, 5xx, 529, an overloaded error in mid-stream, a lost connection: try again. */
  | "busy"
  /** The stream went silent: try again. */
  | "stall"
  /** The prompt is longer than the window: compact, then try again. */
  | "too-long"
  /** No key, a wrong key, no right to the model. */
  | "auth"
  /** Nobody answers at the address. */
  | "unreachable"
  /** The request itself was refused. */
  | "invalid"
  | "aborted";

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status?: number;
  /** What the server asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Of a prompt that is too long, in tokens, where the server told. */
  readonly sizes?: { tokens: number; limit: number };

  constructor(
    kind: ModelErrorKind,
    message: string,
    more: {
      status?: number;
      retryAfterMs?: number;
      sizes?: { tokens: number; limit: number };
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ModelError";
    this.kind = kind;
    if (more.status !== undefined) this.status = more.status;
    if (more.retryAfterMs !== undefined) this.retryAfterMs = more.retryAfterMs;
    if (more.sizes !== undefined) this.sizes = more.sizes;
  }
}

/** Another try may succeed without anything being changed. */
export const isRetryable = (kind: ModelErrorKind): boolean => kind === "busy" || kind === "stall";
