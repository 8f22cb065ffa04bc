/** What a test has the fake answer. */

import type { ApiRequest } from "./schema.ts";

export type AnswerBlock =
  | { type: "text"; text: string }
  /** Signed by the fake. */
  | { type: "thinking"; thinking: string }
  | { type: "redacted_thinking" }
  /** A search by the server, and what it found; an error code in place of results. */
  | { type: "search"; query: string; found: { url: string; title: string }[] | string }
  /** `json`: what is streamed in place of the input, for JSON that is broken. */
  | { type: "tool_use"; name: string; id?: string; input?: object; json?: string };

export type Said = {
  content: AnswerBlock[];
  /** Default: "tool_use" when tools are called, else "end_turn". */
  stop?: string;
  stopDetails?: object;
  /** Bytes in a chunk of the stream. */
  chunkBytes?: number;
  /** Pings between any two events. */
  pings?: number;
  /** Ends the stream early: after so many events, or whole blocks and the first piece of the next. */
  cut?: ({ afterBlocks: number } | { afterEvents: number }) & { by: Cut };
};

export type Cut =
  /** An `error` event of this type. */
  | { error: string; message?: string }
  /** The body ends; the connection breaks; nothing more comes; what comes is no JSON. */
  | "eof"
  | "reset"
  | "stall"
  | "garbage";

/** Refused before any stream. */
export type Failed = {
  status: number;
  type?: string;
  message?: string;
  headers?: Record<string, string>;
};

export type Answer = Said | Failed;

export type Responder = (request: ApiRequest, call: CallFacts) => Answer | Promise<Answer>;

/** `index` counts from 0 the calls that were accepted. */
export type CallFacts = { index: number; promptTokens: number };

export const say = (text: string, more: Partial<Said> = {}): Said => ({
  content: [{ type: "text", text }],
  ...more,
});

/** A call of a tool, after a word or a thought where there is one. */
export const call = (name: string, input: object, id?: string): AnswerBlock => ({
  type: "tool_use",
  name,
  input,
  ...(id !== undefined && { id }),
});

export const think = (thinking: string): AnswerBlock => ({ type: "thinking", thinking });
