/** Text from servers: bounded, and without hidden characters or terminal codes. */

import { attempt, isRecord, isTooDeep } from "../../base/guards.ts";
import { clip } from "../../base/clip.ts";
import { toTerminal } from "../../base/to-terminal.ts";
import { messageOf } from "../../base/in-words.ts";

export const clean = (text: string, chars: number): string => clip(toTerminal(text), chars);

/** In one line. */
export const cleanLine = (text: string, chars: number): string =>
  clean(text.slice(0, chars * 4).replace(/\s+/g, " "), chars).trim();

/** The same JSON with every text in it cleaned; null when it is larger or deeper than it may be. */
export function cleanJson(value: unknown, limits: { chars: number; depth: number }): unknown {
  const text = attempt(() => JSON.stringify(value) ?? null, null);
  if (text === null || text.length > limits.chars || isTooDeep(value, limits.depth)) return null;
  return deep(value);
}

function deep(value: unknown): unknown {
  if (typeof value === "string") return toTerminal(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [toTerminal(key), deep(inner)] as const,
  );
  return Object.fromEntries(entries);
}

/** Characters of a server's message about a call. */
const lineChars = 300;

/** An error as a sentence. */
export function toSentence(error: unknown): string {
  const words = cleanLine(messageOf(error), lineChars);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

type ToolProgress = { progress: number; total?: number | undefined; message?: string | undefined };

/** "3 of 10 files" */
export function progressLine({ progress, total, message = "" }: ToolProgress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return cleanLine(`${count} ${message}`, lineChars);
}
