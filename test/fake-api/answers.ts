/** What a test tells the fake to answer. */

import type { ApiRequest } from "./schema.ts";

export type AnswerBlock =
  | { type: "text"; text: string }
  /** Signed by the fake. */
  | { type: "thinking"; thinking: string }
  | { type: "redacted_thinking" }
  /** A search by the server and its results, or an error code instead of them. */
  | { type: "search"; query: string; found: { url: string; title: string }[] | string }
  /** `json`: is streamed instead of the input, to send broken JSON. */
  | { type: "tool_use"; name: string; id?: string; input?: object; json?: string };

export type Said = {
  content: AnswerBlock[];
  /** Default: "tool_use" when tools are called, else "end_turn". */
  stop?: string;
  stopDetails?: object;
  /** Bytes in a chunk of the stream. */
  chunkBytes?: number;
  /** Ends the stream early: after this many blocks and the first piece of the next. */
  cut?: { afterBlocks: number; by: Cut };
};

export type Cut =
  /** An `error` event of this type. */
  | { error: string }
  /** The body ends, the connection breaks, nothing more is sent, or something that is not JSON. */
  | "eof"
  | "reset"
  | "stall"
  | "garbage";

/** Refused before a stream begins. */
export type Failed = {
  status: number;
  message?: string;
  headers?: Record<string, string>;
};

export type Answer = Said | Failed;

export type Responder = (request: ApiRequest) => Answer | Promise<Answer>;

export const say = (text: string, more: Partial<Said> = {}): Said => ({
  content: [{ type: "text", text }],
  ...more,
});

export const call = (name: string, input: object, id?: string): AnswerBlock => {
  return { type: "tool_use", name, input, ...(id !== undefined && { id }) };
};

export const think = (thinking: string): AnswerBlock => ({ type: "thinking", thinking });
