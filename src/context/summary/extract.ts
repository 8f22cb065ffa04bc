/** A summary built without a model, from the rows alone. */

import { clip, clipLine } from "../../base/clip.ts";
import { blockText } from "../../protocol/block.ts";
import { findInstructions, listUserMessages } from "./rules.ts";
import { proseRatio } from "../meter/meter.ts";
import { listDecisions, previousSummary } from "./read.ts";
import type { EntryId, Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Todo } from "../../protocol/todo.ts";
import {
  listCommands,
  filesTouched,
  lastWords,
  findTodo,
  type FileTouched,
} from "./files-in-work.ts";
import type { View } from "../types.ts";
import { rangeRows, spanRange, uncovered, type RowRange } from "../view/rows.ts";

/** Size of a model's summary in tokens, and as the largest share of the covered span. */
const usualTokens = 3_000;
const maxShare = 0.35;

/** Usual length of a summary, in characters. */
export const usualChars = (view: View, rules: ModelRules, coveredChars: number): number =>
  Math.floor(Math.min(usualTokens * proseRatio(view, rules), coveredChars * maxShare));

/** The summary of a span, no longer than one that a model writes, so that its price holds. */
export function extractUsual(
  view: View,
  span: Span,
  rules: ModelRules,
  coveredChars: number,
): string {
  const earlier = previousSummary(view, span);
  const maxChars = usualChars(view, rules, coveredChars);
  return extractSummary(spanRange(view, span), { earlier, maxChars });
}

/**
 * The first request, the model's decisions and answers, files, commands and their outcome, errors and
 * the current state, in the sections of a written summary; newer requests are kept verbatim beside it. At most
 * `maxChars` characters, of which the `earlier` summary takes up to a third.
 */
export function extractSummary(
  range: RowRange,
  { earlier = null, maxChars = 24_000 }: { earlier?: string | null; maxChars?: number } = {},
): string {
  const words = listUserMessages(range);
  const files = filesTouched(range);
  const open = findTodo(range).filter(({ status }) => status !== "completed");
  const answers = findAnswers(range);
  const last = answers.at(-1);
  const [first] = words;
  const sections = [
    section("Intent", [
      ...(first ? [clipLine(first.text, 800)] : []),
      ...findInstructions(words)
        .filter(
          ({ standing, text }) => standing && !clipLine(first?.text ?? "", 800).includes(text),
        )
        .map(({ text }) => clipLine(text, 400))
        .slice(-30),
    ]),
    section("Decisions", decisions(range, answers)),
    section("Files", [
      ...named(files, true).map((path) => `changed: ${path}`),
      ...named(files, false).map((path) => `read: ${path}`),
    ]),
    section("Errors", errors(range)),
    section(
      "The user's earlier messages",
      words.slice(1, -20).map(({ entry, text }) => `#${entry}: ${clipLine(text, 200)}`),
    ),
    section(
      "Your answers",
      answers.slice(-maxAnswers, -1).map(({ entry, text }) => `#${entry}: ${clipLine(text, 600)}`),
    ),
    section(
      "Open work",
      open.map(
        ({ content, status }) => `${content}${status === "in_progress" ? " (in progress)" : ""}`,
      ),
    ),
    section("Current state", [
      ...commands(range),
      clipLine(last?.isFinal ? last.text : lastWords(range), 1_500),
    ]),
    section("Next step", [nextStep(words.at(-1)?.text ?? "", open, last?.isFinal ?? false)]),
  ]
    .filter((text) => text !== "")
    .map((text, index) => `## ${index + 1}. ${text}`);
  const before = earlier === null ? "" : earlierPart(earlier, Math.floor(maxChars / 3));
  return [before, clip(sections.join("\n\n"), maxChars - before.length)]
    .filter((text) => text !== "")
    .join("\n\n");
}

const maxAnswers = 12;

/** The model's words at the end of a turn. `isFinal`: no request came after them. */
type GivenAnswer = { entry: EntryId; text: string; isFinal: boolean };

function findAnswers(range: RowRange): GivenAnswer[] {
  const answers: GivenAnswer[] = [];
  let said: GivenAnswer | null = null;
  const end = (isFinal: boolean): void => {
    if (said) answers.push({ ...said, isFinal });
    said = null;
  };
  for (const { entry } of uncovered(range)) {
    if (entry.type === "user") end(false);
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    const isAsking = entry.content.some(({ type }) => type === "tool_use");
    const text = blockText(entry.content).trim();
    said = isAsking || text === "" ? null : { entry: entry.id, text, isFinal: false };
  }
  end(true);
  return answers;
}

/** A request that was answered is no next step. */
function nextStep(request: string, open: readonly Todo[], isAnswered: boolean): string {
  if (!isAnswered) return clipLine(request, 400);
  const next = open.find(({ status }) => status === "in_progress") ?? open[0];
  return next ? next.content : "None: the latest request was answered. Wait for the user.";
}

/**
 * Decisions in rows that no earlier summary covers; older ones are in that summary. Those in an answer
 * are quoted with it.
 */
function decisions(range: RowRange, answers: readonly GivenAnswer[]): string[] {
  const quoted = new Set(answers.slice(-maxAnswers).map(({ entry }) => entry));
  const sentences = uncovered(range).flatMap(({ entry }) =>
    entry.type === "assistant" && entry.stop !== "failed" && !quoted.has(entry.id)
      ? blockText(entry.content).split(/(?<=[.!?])\s+|\n+/)
      : [],
  );
  const decided = /\b(?:decided|instead of|rather than|chose|because|root cause|turns out)\b/i;
  return sentences
    .filter((sentence) => sentence.length > 20 && decided.test(sentence))
    .slice(-12)
    .map((sentence) => clipLine(sentence.replace(/^\s*[-*•]\s+/, ""), 300));
}

const named = (files: readonly FileTouched[], written: boolean): string[] =>
  files
    .filter((file) => file.written === written)
    .map(({ path }) => path)
    .slice(0, 40);

const errors = (range: RowRange): string[] =>
  rangeRows(range)
    .flatMap(({ entry }) => (entry.type === "result" && entry.isError ? [entry] : []))
    .slice(-8)
    .map(({ tool, id, content }) => `${tool} (#${id}): ${clipLine(blockText(content), 240)}`);

function commands(range: RowRange): string[] {
  const newest = listCommands(range).take(12).toArray();
  return newest.reverse().map(({ call, result }) => {
    const last = result ? lastLine(blockText(result.content)) : "no result";
    const outcome = `${result?.isError ? "failed: " : ""}${clipLine(last, 160)}`;
    return `\`${clipLine(String(call.input["command"]), 120)}\`: ${outcome}`;
  });
}

/** The last line with a letter or digit. */
const lastLine = (text: string): string =>
  text.split("\n").findLast((line) => /[\p{L}\p{N}]/u.test(line)) ?? "(no output)";

/** The decisions of an earlier summary; its files are in the rows anyway. */
function earlierPart(earlier: string, maxChars: number): string {
  const decided = listDecisions(earlier);
  const text = earlier.length <= maxChars || decided.length === 0 ? earlier : decided.join("\n");
  return `From the earlier summary:\n${clip(text, maxChars - 30)}`;
}

const section = (title: string, lines: readonly string[]): string => {
  const shown = lines.filter((line) => line !== "");
  return shown.length === 0 ? "" : `${title}\n${shown.map((line) => `- ${line}`).join("\n")}`;
};
