/** What the agent knows of a model, whoever serves it. */

import type { ModelEvent, ModelRequest, ModelRules } from "../protocol/model.ts";

export interface ModelClient {
  /** Shown to the person: "anthropic", "openai http://localhost:11434/v1", "offline". */
  readonly label: string;
  /** Window, limits, prices: from the server, else the catalogue, else a setting. */
  rules(model: string): Promise<ModelRules>;
  /**
   * One call. Ends with exactly one `stop`, or throws `ModelError`; what was yielded before stays
   * valid. Throws "stall" when the stream goes silent. Does not retry: the agent does, visibly.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void>;
  /** Names of the models that can be asked for; none where nobody tells. Never rejects. */
  models(): Promise<string[]>;
  /** Input tokens of a request as the server counts them; absent where it cannot. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}
