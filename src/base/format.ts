/** Numbers, times and errors as a sentence has them. */

/** "1 old result", "2,100 old results", "3 entries", "2 matches". */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : plural(noun)}`;

const plural = (noun: string): string =>
  /[^aeiou]y$/.test(noun)
    ? noun.replace(/y$/, "ies")
    : `${noun}${/(?:s|x|ch|sh)$/.test(noun) ? "es" : "s"}`;

/** The subject of a summary: "7 turns", or "part of a turn" where none begins in it. */
export const countedTurns = (turns: number): string =>
  turns === 0 ? "part of a turn" : counted(turns, "turn");

/** "a", "a and b", "a, b and c". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

/** "just now", "5 minutes ago", "2 hours ago", "3 days ago"; never in the future. */
export function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000)) || 0;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${counted(minutes, "minute")} ago`;
  if (minutes < 48 * 60) return `${counted(Math.round(minutes / 60), "hour")} ago`;
  return `${counted(Math.round(minutes / 1_440), "day")} ago`;
}

/** Bun's advice on a broken connection, meant for developers. */
const bunAdvice = / For more information, pass `verbose: true` .*$/;

/** The message of a thrown value, which need not be an error. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message.replace(bunAdvice, "") : String(error);

/** Line breaks within a paragraph or an item: a screen that keeps them would wrap each line again. */
const softBreak = /(?<!^|[|\n])\n(?: {2})?(?=[^\s|#-])/g;

/** Each paragraph and item on one line; code blocks and tables as they are. */
export const unwrapMarkdown = (text: string): string =>
  text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(softBreak, " ") : part))
    .join("");
