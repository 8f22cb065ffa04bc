import type { Message } from "./model.ts";
import { PrefixFold } from "./prefix-fold.ts";

const none: readonly number[] = [];

/** Indexes of the messages with a result that loads tools. */
const loading = new PrefixFold<Message, readonly number[]>(none, (found, { content }, index) =>
  content.some((block) => block.type === "tool_result" && block.loads) ? [...found, index] : found,
);

/** The messages with a result that loads tools, by their indexes. */
export const messagesThatLoad = (messages: readonly Message[]): readonly number[] =>
  loading.over(messages);
