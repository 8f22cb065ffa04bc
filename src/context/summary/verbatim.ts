/** What stays word for word beside a summary, whoever wrote it: no model is trusted with this. */

import { textOf } from "../../protocol/block.ts";
import type { Loss } from "../../protocol/entry.ts";
import type { Row } from "../types.ts";
import { fitInstructions, instructionsIn, missingInstructions } from "./instructions.ts";
import { standingContext, todoIn } from "./files-in-work.ts";
import { newestWords, userWords } from "./user-messages.ts";

/** A file as it is on disk now: its text, or its outline where it is large. */
export type FileNow = { path: string; text: string; lines: number; outline: boolean };

/** Rooms in characters. */
export type Room = { userChars: number; instructionChars: number; files: readonly FileNow[] };

export type Verbatim = {
  text: string;
  putBack: string[];
  /** Instructions for which there was no room. */
  dropped: Loss[];
};

/**
 * The user's words, what holds of the instructions, the mode, the todo list and the files in work.
 * `covered` are the rows that go, `all` those of the whole view; `said` is what the summary and the kept messages say.
 */
export function keepVerbatim(
  covered: readonly Row[],
  all: readonly Row[],
  said: string,
  { userChars, instructionChars, files }: Room,
): Verbatim {
  const words = userWords(covered);
  const kept = newestWords(words, userChars);
  const told = standingContext(covered).filter((entry) => !isNewer(entry.id, covered, all));
  const before = [
    part(
      kept.length < words.length
        ? `The user's newest ${kept.length} of ${words.length} messages, word for word`
        : "The user's messages so far, word for word",
      kept.map(({ entry, text }) => `[#${entry}] ${text}`),
    ),
    ...told.map((entry) => part(`${entry.title} (${entry.kind})`, [textOf(entry.content)])),
    part(
      "Todo list",
      todoIn(all).map(({ text, status }) => `- [${mark(status)}] ${text}`),
    ),
  ].filter((text) => text !== "");
  // What a file happens to say does not stand for what the user said.
  const missing = missingInstructions([said, ...before].join("\n"), instructionsIn(words));
  const { kept: back, dropped } = fitInstructions(missing, instructionChars);
  const instructions = part(
    "Instructions the user gave earlier; they still hold, and a later one overrules an earlier one",
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

/** Told as what it is, so that the model does not take a file's words for the user's. */
function showFile({ path, text, lines, outline }: FileNow): string {
  const what = `${lines} lines${outline ? "; too large to show: its outline" : ""}`;
  const body = text.replace(/<(\/?)file\b/gi, "&lt;$1file");
  return `# ${path} as it is on disk now (${what})\n<file>\n${body}\n</file>`;
}

/** Whether something behind the covered rows overrules a fact of the same kind and title. */
function isNewer(id: string, covered: readonly Row[], all: readonly Row[]): boolean {
  const last = covered.at(-1)?.entry.id;
  const behind = all.slice(all.findIndex(({ entry }) => entry.id === last) + 1);
  const fact = covered.find(({ entry }) => entry.id === id)?.entry;
  return behind.some(
    ({ entry }) =>
      entry.type === "context" &&
      fact?.type === "context" &&
      entry.kind === fact.kind &&
      (fact.kind !== "instructions" || entry.title === fact.title),
  );
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;

const mark = (status: string): string =>
  ({ done: "x", in_progress: ">", cancelled: "-" })[status] ?? " ";
