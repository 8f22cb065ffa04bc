import type { Conversation, Step } from "./conversation.ts";
import type { Call } from "./tools.ts";

/** Yields calls, gets their results in the same order, returns what it made of them. */
export type Calls<T> = Generator<Call[], T, Step[]>;

/** Returns the answer, in Markdown. */
export type Script = Calls<string>;

/**
 * Something that the offline model can do; null if the request is about something else. A script is
 * replayed from its beginning for every call of the model, so it must depend on nothing but the
 * conversation.
 */
export type Skill = (request: string, conversation: Conversation) => Script | null;

const noResult: Step = { tool: "", input: {}, text: "", failed: true, cleared: true };

export function* make(call: Call): Calls<Step> {
  const [step = noResult] = yield [call];
  return step;
}

/** An answer without any call. */
// eslint-disable-next-line require-yield
export function* answer(text: string): Script {
  return text;
}
