/** What is kept verbatim beside a summary, because no model can be trusted to keep it. */

import { textOf } from "../../protocol/block.ts";
import type { Loss } from "../../protocol/entry.ts";
import { counted } from "../../base/in-words.ts";
import { fitInstructions, findInstructions, missingInstructions } from "./instructions.ts";
import { standingContext, findTodo } from "./files-in-work.ts";
import { wholeRange, type RowRange } from "../view/rows.ts";
import { newestMessages, listUserMessages } from "./user-messages.ts";

/** A file as it is on disk now: its text, or its outline if it is large. */
export type FileNow = { path: string; text: string; lines: number; outline: boolean };

/** How much is kept of each part, in characters. */
export type VerbatimLimits = {
  userChars: number;
  instructionChars: number;
  files: readonly FileNow[];
};

export type Verbatim = {
  text: string;
  putBack: string[];
  /** Instructions that did not fit. */
  dropped: Loss[];
};

/**
 * The user's messages, standing instructions, the mode, the todo list and the active files. `covered`
 * are the rows being summarized; `said` is what the summary and the remaining messages say.
 */
export function keepVerbatim(
  covered: RowRange,
  said: string,
  { userChars, instructionChars, files }: VerbatimLimits,
): Verbatim {
  const messages = listUserMessages(covered);
  const kept = newestMessages(messages, userChars);
  const before = [
    part(
      kept.length < messages.length
        ? `The user's newest ${kept.length} of ${messages.length} messages, verbatim`
        : "The user's messages so far, verbatim",
      kept.map(({ entry, text }) => `[#${entry}] ${text}`),
    ),
    ...standingContext(covered).map((entry) =>
      part(`${entry.title} (${entry.kind})`, [textOf(entry.content)]),
    ),
    part(
      "Todo list",
      findTodo(wholeRange(covered.view)).map(
        ({ content, status }) => `- [${marks[status]}] ${content}`,
      ),
    ),
  ].filter((text) => text !== "");
  // A file may repeat an instruction by chance, so files do not count as keeping it.
  const missing = missingInstructions([said, ...before].join("\n"), findInstructions(messages));
  const { kept: back, dropped } = fitInstructions(missing, instructionChars);
  const instructions = part(
    "Instructions the user gave earlier; they still apply, and a later one overrides an earlier one",
    back.map(({ entry, text }) => `- [#${entry}] ${text}`),
  );
  return {
    text: [instructions, ...before, ...files.map(showFile)]
      .filter((text) => text !== "")
      .join("\n\n"),
    putBack: back.map(({ text }) => text),
    dropped: dropped.map(({ entry, text }) => ({ kind: "instruction", text, entry })),
  };
}

/** Labeled, so that the model does not mistake a file's text for the user's. */
function showFile({ path, text, lines, outline }: FileNow): string {
  const what = `${counted(lines, "line")}${outline ? "; too large to show: its outline" : ""}`;
  const body = text.replace(/<(\/?)file\b/gi, "&lt;$1file");
  return `# ${path} as it is on disk now (${what})\n<file>\n${body}\n</file>`;
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;

const marks = { pending: " ", in_progress: ">", completed: "x" };
