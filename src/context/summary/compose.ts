/** What stands in the place of the covered span: the summary, and what is kept without trusting it. */

import { textOf } from "../../protocol/block.ts";
import type { Loss, Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { View } from "../types.ts";
import { lossesOf } from "./losses.ts";
import { todoIn } from "./work.ts";
import { instructionsIn, missingFrom, newestWords, rowsOf, userWords } from "./words.ts";

/** A file as it is on disk now: its text, or its outline where it is large. */
export type FileNow = { path: string; text: string; lines: number; outline: boolean };

export type Composed = {
  text: string;
  /** Messages that the span held. */
  messages: number;
  putBack: string[];
  losses: Loss[];
};

export type Ingredients = {
  view: View;
  span: Span;
  /** As the model or the extract gave it. */
  summary: string;
  files: readonly FileNow[];
  logFile: string;
  rules: ModelRules;
  policy: Policy;
};

export function composeSummary({
  view,
  span,
  summary,
  files,
  logFile,
  rules,
  policy,
}: Ingredients): Composed {
  const rows = rowsOf(view, span);
  const words = userWords(rows);
  const messages = rows.filter(({ shown }) => shown !== "aside").length;
  const kept = newestWords(words, policy.summary.userTokens * rules.charsPerToken.prose);
  const todo = todoIn(view.rows);
  const parts = [
    `[Summary of ${messages} earlier messages of this session. All of them are kept in full in ${logFile} (${span.from} to ${span.to}); use recall, or read that file, for what is not here.]`,
    `<summary>\n${summary}\n</summary>`,
    part(
      "The user's messages so far, word for word",
      kept.map(({ entry, text }) => `[#${entry}] ${text}`),
    ),
    part(
      "Todo list",
      todo.map(({ text, status }) => `- [${mark(status)}] ${text}`),
    ),
    ...files.map(({ path, text, lines, outline }) =>
      part(`${path} as it is on disk now (${lines} lines${outline ? "; only its outline" : ""})`, [
        text,
      ]),
    ),
  ];
  const said = parts.join("\n\n");
  const missing = missingFrom(said, instructionsIn(words));
  const putBack = missing.map(({ text }) => text);
  const text = [
    said,
    part(
      "Instructions of the user that still hold",
      putBack.map((one) => `- ${one}`),
    ),
  ]
    .filter((one) => one !== "")
    .join("\n\n");
  const held = `${text}\n${heldAfter(view, span)}`;
  return { text: text.replace(/\n{3,}/g, "\n\n"), messages, putBack, losses: lossesOf(rows, held) };
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `# ${title}\n${lines.join("\n")}`;

const mark = (status: string): string =>
  ({ done: "x", in_progress: ">", cancelled: "-" })[status] ?? " ";

/** What the model still sees behind the span. */
function heldAfter(view: View, span: Span): string {
  const from = (view.indexOf(span.to) ?? view.rows.length) + 1;
  return view.rows
    .slice(from)
    .flatMap(({ entry, text }) => {
      if (text !== undefined) return [text];
      return entry.type === "user" || entry.type === "assistant" || entry.type === "result"
        ? [textOf(entry.content)]
        : [];
    })
    .join("\n");
}
