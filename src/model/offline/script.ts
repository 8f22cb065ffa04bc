import type { Conversation, Step } from "./conversation.ts";
import type { Call } from "./tools.ts";

/**
 * A part of a script: yields tool calls, gets their results in the same order, and returns what it
 * made of them.
 */
export type Calls<T> = Generator<Call[], T, Step[]>;

/** What the offline model does about a request. Returns the answer, in Markdown. */
export type Script = Calls<string>;

/**
 * Something that the offline model can do; null if the request is about something else. A script is
 * replayed from its beginning for every call of the model, so it must depend on nothing but the
 * conversation.
 */
export type Skill = (request: string, conversation: Conversation) => Script | null;

const noResult: Step = { tool: "", input: {}, text: "", failed: true, cleared: true };

/** One call; its result. */
export function* make(call: Call): Calls<Step> {
  const [step = noResult] = yield [call];
  return step;
}

/** An answer without any call. */
// eslint-disable-next-line require-yield
export function* answer(text: string): Script {
  return text;
}
