/** What a summary in the context says of the conversation that it stands for. */

export type Summarised = {
  text: string;
  /** The user's messages that it quotes verbatim, oldest first. */
  questions: string[];
  /** Paths of files. */
  read: string[];
  changed: string[];
};

const opening =
  /^\[(This session continues from a summary|Kept verbatim beside the summary|Summary of \d+ earlier messages)/;

/** Text in a user's message that is not the user's own words. */
export const isAside = (text: string): boolean =>
  opening.test(text) ||
  /^<(context|kept) /.test(text) ||
  text === "(older messages are left out)" ||
  text.trim() === "";

/** Null: the text is no summary. */
export function readSummarised(text: string): Summarised | null {
  if (!opening.test(text)) return null;
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1] ?? "";
  // Files that are shown behind the summary may say anything, and the summary itself may quote them.
  const beside = (
    text.replace(/<summary>[\s\S]*?<\/summary>/, "").split("\n<file>", 1)[0] ?? ""
  ).split("\n");
  const start = beside.findIndex((line) =>
    /^# The user's (messages so far|newest \d+ of \d+ messages), verbatim$/.test(line),
  );
  const questions: string[] = [];
  for (const line of start === -1 ? [] : beside.slice(start + 1)) {
    if (line.startsWith("# ")) break;
    const said = /^\[#\w+\] (.*)$/.exec(line)?.[1];
    if (said !== undefined) questions.push(said);
    else if (questions.length > 0) questions.push(`${questions.pop() ?? ""}\n${line}`);
  }
  return {
    text: summary,
    questions: questions.map((question) => question.trim()),
    read: listed(summary, "read"),
    changed: listed(summary, "changed"),
  };
}

const listed = (summary: string, kind: string): string[] =>
  [...summary.matchAll(new RegExp(`^- ${kind}: (.+)$`, "gm"))].map((found) => found[1] ?? "");
