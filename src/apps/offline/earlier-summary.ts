/** What a summary in the context says about the part of the conversation that it replaced. */

export type EarlierSummary = {
  text: string;
  /** The user's messages that it quotes, oldest first. */
  questions: string[];
  /** Paths of files. */
  read: string[];
  changed: string[];
};

export const noSummary: EarlierSummary = { text: "", questions: [], read: [], changed: [] };

const opening = /^\[[^\]\n]*\bsummary\b/i;

/** Text in a user message that the user did not write. */
export const isContext = (text: string): boolean =>
  opening.test(text) ||
  /^<(context|kept) /.test(text) ||
  /^\(older messages [^)]*\)$/.test(text) ||
  text.trim() === "";

/** Null: the text is not a summary. */
export function readSummary(text: string): EarlierSummary | null {
  if (!opening.test(text)) return null;
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1] ?? "";
  // The summary may quote anything, and so may the files after it: neither holds the user's words.
  const outside = text.replace(/<summary>[\s\S]*?<\/summary>/, "").split("\n<file>", 1)[0] ?? "";
  const lines = outside.split("\n");
  const start = lines.findIndex((line) => /^# .*\buser'?s\b.*\bmessages\b/i.test(line));
  const questions: string[] = [];
  for (const line of start === -1 ? [] : lines.slice(start + 1)) {
    if (line.startsWith("# ")) break;
    const first = /^\[#\w+\] (.*)$/.exec(line)?.[1];
    if (first !== undefined) questions.push(first);
    else if (questions.length > 0) questions.push(`${questions.pop() ?? ""}\n${line}`);
  }
  return {
    text: summary,
    questions: questions.map((question) => question.trim()),
    read: pathsAfter(summary, "read"),
    changed: pathsAfter(summary, "changed"),
  };
}

const pathsAfter = (summary: string, label: string): string[] =>
  [...summary.matchAll(new RegExp(`^- ${label}: (.+)$`, "gm"))].map((found) => found[1] ?? "");
