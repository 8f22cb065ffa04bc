/** The interface between the agent and any model. */

import type { ModelEvent, ModelRequest, ModelRules, Usage } from "../protocol/model.ts";

/** Sites as domains, with a path if wanted; only one of the two lists. */
export type WebSearch = {
  query: string;
  allowed_domains?: string[] | undefined;
  blocked_domains?: string[] | undefined;
};

export type WebSearchAnswer = {
  results: { url: string; title: string; age: string | null }[];
  text: string;
  /** The code of a search that failed; null if it succeeded. */
  error: string | null;
  model: string;
  usage: Usage;
};

export interface ModelClient {
  /** Shown to the user: "anthropic", "openai http://localhost:11434/v1", "offline". */
  readonly label: string;
  /** Window, limits and prices, from settings, else the server, else the catalog. */
  rules(model: string): Promise<ModelRules>;
  /**
   * One call. Ends with exactly one `stop`, or throws `ModelError`; earlier events remain valid. A stream that goes
   * silent is the error "stall". Never retries: the agent does, visibly.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void>;
  /** Names of the available models; empty when the server does not list them. Never rejects. */
  models(): Promise<string[]>;
  /**
   * Renews the cached prefix of a request without an answer, and returns what was billed; null: this
   * server cannot. Throws `ModelError`.
   */
  refreshCache?(request: ModelRequest, signal: AbortSignal): Promise<Usage | null>;
  /** Searches the web on the server; absent when it cannot. Throws `ModelError`. */
  searchWeb?(search: WebSearch, signal: AbortSignal): Promise<WebSearchAnswer>;
  /** Input tokens of a request, counted by the server; absent when it cannot. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

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
  /** The server's own words, whole; never shown. */
  readonly said?: string | undefined;

  constructor(
    kind: ModelErrorKind,
    message: string,
    more: Partial<Pick<ModelError, "status" | "retryAfterMs" | "sizes" | "said" | "cause">> = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ModelError";
    this.kind = kind;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
    this.sizes = more.sizes;
    this.said = more.said;
  }
}
