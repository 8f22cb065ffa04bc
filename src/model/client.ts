/** The interface between the agent and any model. */

import type { Clock } from "../base/clock.ts";
import type { ModelEvent, ModelRequest, ModelRules, Usage } from "../protocol/model.ts";
import type { RuleOverrides } from "./rules.ts";
import type { Fetch } from "./network.ts";

/** Options for the client of any server. */
export type ClientOptions = {
  /** The user's own rules for a model, over those of the server and the catalog. */
  overrides?: (model: string) => RuleOverrides;
  /** Milliseconds without a byte after which a stream is ended. */
  stallMs?: number;
  clock?: Clock;
  fetch?: Fetch | undefined;
};

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
   * One call. Ends with exactly one `stop`, or throws `ModelError`; earlier events remain valid. A stream that goes silent is the error "stall". Never retries: the agent does, visibly.
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
