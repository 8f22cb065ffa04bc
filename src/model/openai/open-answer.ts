import type { ModelEvent } from "../../protocol/model.ts";

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
